import threading

ready = threading.Event()
log = []
settings = {"port": "80a"}


def start_service():
    try:
        port = int(settings["port"])
        log.append(f"listening on {port}")
        ready.set()
    except ValueError as problem:
        log.append(str(problem))


service = threading.Thread(target=start_service, name="service")
service.start()
ready.wait()
assert log == ["listening on 80"]
