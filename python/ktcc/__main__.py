from ktcc import main

main()
