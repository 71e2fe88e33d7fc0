# verdict: bytecode=unusable
import argparse, threading


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=2)
    args = parser.parse_args(argv)
    ts = [threading.Thread(target=print, args=(i,)) for i in range(args.n)]
    for t in ts:
        t.start()
    for t in ts:
        t.join()


main([])
