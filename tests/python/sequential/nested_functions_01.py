def pipeline(*stages):
    def run(value):
        trail = [value]

        def apply(stage):
            result = stage(trail[-1])
            trail.append(result)
            return result

        for stage in stages:
            apply(stage)
        return trail

    return run


def make_stage(kind, n):
    if kind == "add":

        def stage(x):
            return x + n

    elif kind == "mul":

        def stage(x):
            return x * n

    else:
        raise ValueError(kind)
    return stage


print(pipeline(make_stage("add", 1), make_stage("mul", 10), str, len)(4))
try:
    make_stage("div", 2)
except ValueError as error:
    print(error)
