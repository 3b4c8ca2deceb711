// Receives the lease changes of the message that a session works on.

export interface LeaseLog {
  /** The lease lasts `seconds` from now on. */
  extended(seconds: number): void | Promise<void>
  /** The lease ended while the work continued; `message` is a sentence. At most once per message. */
  expired(message: string): void | Promise<void>
}
