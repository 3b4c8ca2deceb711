export interface LeaseLog {
  /** The lease now lasts `seconds`. */
  extended(seconds: number): void | Promise<void>
  /** The lease ended while work continued; `message` is a sentence. Called at most once per message. */
  expired(message: string): void | Promise<void>
}
