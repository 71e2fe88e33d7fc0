# refused
import warnings

warnings.simplefilter("error")
warnings.warn("deprecated")
