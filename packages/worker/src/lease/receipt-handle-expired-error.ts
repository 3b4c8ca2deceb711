import { GuardrailError } from '@signalbox/runtime/base'

export class ReceiptHandleExpiredError extends GuardrailError {
  constructor(messageId: string) {
    super(
      'receipt_expired',
      `The lease of message ${messageId} has expired, so another worker may have the message. Leave it to that worker.`,
    )
    this.name = 'ReceiptHandleExpiredError'
  }

  static override is(error: unknown): error is ReceiptHandleExpiredError {
    return GuardrailError.is(error) && error.code === 'receipt_expired'
  }
}
