raise Exception
# ends with Exception
