import { GuardrailError } from '@signalbox/runtime/base'

export function noReplyAddress(messageId: string): GuardrailError {
  return new GuardrailError(
    'no_reply_address',
    `Message ${messageId} was sent without replyTo, so it cannot be replied to.`,
  )
}
