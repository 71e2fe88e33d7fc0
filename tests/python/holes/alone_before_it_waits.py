import threading

import assay

done = []
assay.invariant(lambda: not done, name="nothing is done")
done.append(1)
threading.Event().wait()
