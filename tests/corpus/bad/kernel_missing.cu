/*
# The program has no such kernel.
region = "scale"
function = "nobody"
verdict = "no-compile"
*/
