export { Heartbeat, type HeartbeatOptions } from './lease/heartbeat.ts'
export {
  type Attachment,
  type LeasedMessage,
  LeaseExtender,
  type LeaseExtenderOptions,
} from './lease/lease-extender.ts'
export type { LeaseLog } from './lease/lease-log.ts'
export { ReceiptHandleExpiredError } from './lease/receipt-handle-expired-error.ts'
export type { DeadLetterSettings, ErrorType } from './loop/dead-letter-rule.ts'
export {
  EvalLoop,
  type EvalLoopOptions,
  type EvalRequest,
  type EvalResult,
  type EvalSample,
  type EvalScore,
  type Evaluator,
} from './loop/eval-loop.ts'
export type { LeaseTimes } from './loop/loop-settings.ts'
export {
  MainLoop,
  type MainLoopOptions,
  type StopOptions,
} from './loop/main-loop.ts'
export type { Handle, HandleContext, HandledMessage, LoopReply } from './loop/supervise.ts'
export { Watchdog, type WatchdogOptions, type WatchedLoop } from './loop/watchdog.ts'
export { InMemoryMailbox } from './mailbox/in-memory-mailbox.ts'
export type {
  DeadLetter,
  DeadLetterOptions,
  Mailbox,
  MailboxOptions,
  Message,
  ReceiveOptions,
  ReplyAddress,
  SendOptions,
} from './mailbox/mailbox.ts'
