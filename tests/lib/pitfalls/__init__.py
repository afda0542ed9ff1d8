"""The mistakes that teaching code keeps shipping, each beside the test that catches it.

Every mistake is a small wrong variant of something in `lib`. Every property is a
function of an implementation: it passes on `lib` and fails on the variant.
"""
