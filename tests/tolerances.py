"""Every tolerance of the tests, with its reason."""

EPS = 2.0**-52

ROUNDING = 1e-12  # relative; sums of up to 10⁴ products of numbers of size 1, about 10⁴ · eps at worst
AGREE = 1e-9  # what all strategies for the same coefficients must agree to, by the design
AGREE_SKLEARN = 1e-6  # scikit-learn run at tol=1e-12 leaves coefficients exact to about √(gap)
FLOAT32 = 1e-4  # relative; float32 has 6e-8 a number, and codes are solved from Grams of condition up to about 10³
CODE_AT_GAP = 1e-3  # a gap of 1e-7 ½‖x‖² leaves codes of size 1 exact to about √gap, 3e-4
