def main():
    print("in main")
    return 0


print(__name__)
if __name__ == "__main__":
    main()
else:
    print("imported")
