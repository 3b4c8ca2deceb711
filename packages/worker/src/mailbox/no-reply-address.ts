// The error of a reply to a message without a reply address.
import { GuardrailError } from '@signalbox/runtime/base'

export function noReplyAddress(messageId: string): GuardrailError {
  return new GuardrailError(
    'no_reply_address',
    `Message ${messageId} was sent without replyTo, so it cannot be replied to.`,
  )
}
