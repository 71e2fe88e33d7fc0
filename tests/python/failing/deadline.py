import queue
import threading


class Service:
    def __init__(self):
        self.requests = queue.Queue()
        self.answers = queue.Queue()

    def serve(self):
        question = self.requests.get()
        self.answers.put(question.upper())

    def ask(self, question):
        self.requests.put(question)
        try:
            return self.answers.get(timeout=2)
        except queue.Empty:
            return None


service = Service()
server = threading.Thread(target=service.serve, name="server")
server.start()
answer = service.ask("ping")
server.join()
assert answer == "PING"
