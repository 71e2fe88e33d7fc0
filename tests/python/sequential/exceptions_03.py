# every combination of try, except, else, finally
def run(action, *, handler=True):
    log = []
    try:
        try:
            log.append("try")
            if action == "raise":
                raise KeyError("k")
            if action == "return":
                return log
        except KeyError:
            log.append("except")
            if not handler:
                raise
        else:
            log.append("else")
        finally:
            log.append("finally")
    except KeyError as error:
        log.append(f"outer {error}")
    return log


print(run("nothing"))
print(run("raise"))
print(run("return"))
print(run("raise", handler=False))
