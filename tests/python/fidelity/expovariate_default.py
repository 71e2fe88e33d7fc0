# fails
import random

x = random.expovariate()
