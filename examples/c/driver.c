/* The driver of the slides (Ball and Rajamani 2001): a spin lock, taken and given back in a loop. */
typedef int KSPIN_LOCK;
enum { STATUS_SUCCESS = 0, STATUS_UNSUCCESSFUL = -1, IO_NO_INCREMENT = 0 };

struct irp {
  struct { int Status, Information; } IoStatus;
};
struct request {
  int status, Status;
  struct irp *irp;
  struct request *Next;
};
struct device_extension {
  KSPIN_LOCK writeListLock;
  struct request *WriteListHeadVa;
};

void KeAcquireSpinLock(KSPIN_LOCK *lock);
void KeReleaseSpinLock(KSPIN_LOCK *lock);
void SmartDevFreeBlock(struct request *request);
void IoCompleteRequest(struct irp *irp, int increment);
struct request *pending_requests(void);

struct device_extension device;

int main(void) {
  struct device_extension *devExt = &device;
  struct request *request;
  struct irp *irp;
  int nPackets, nPacketsOld;

  devExt->WriteListHeadVa = pending_requests();
  do {
    KeAcquireSpinLock(&devExt->writeListLock);
    nPacketsOld = nPackets;
    request = devExt->WriteListHeadVa;
    if (request && request->status) {
      devExt->WriteListHeadVa = request->Next;
      KeReleaseSpinLock(&devExt->writeListLock);
      irp = request->irp;
      if (request->status > 0) {
        irp->IoStatus.Status = STATUS_SUCCESS;
        irp->IoStatus.Information = request->Status;
      } else {
        irp->IoStatus.Status = STATUS_UNSUCCESSFUL;
        irp->IoStatus.Information = request->Status;
      }
      SmartDevFreeBlock(request);
      IoCompleteRequest(irp, IO_NO_INCREMENT);
      nPackets++;
    }
  } while (nPackets != nPacketsOld);
  KeReleaseSpinLock(&devExt->writeListLock);
  return 0;
}
