class A:
    def method(self):
        return self.missing


A().method()
# ends with AttributeError
