// Signed as exact text by the key that signs the bundles; names the one call that it is about (specs/call-approvals.md).
import * as z from 'zod/v4'
import { canonicalJson } from './digest.ts'
import { Count, Digest, Instant, SessionId } from './names.ts'
import { signText, verifyText } from './signature.ts'

const CallName = z.string().min(1).max(300)

const call = {
  session: SessionId,
  seq: Count,
  call_id: CallName,
  tool: CallName,
  input: Digest,
}

/** Longest time in ms that the server keeps a request open; it answers earlier if there is an answer. */
export const LONGEST_HOLD_MS = 20_000

export const AwaitAnswerRequest = z.strictObject({
  ...call,
  /** Time in ms that the runtime still waits before it denies the call. */
  time_left_ms: z.int().min(0).max(604_800_000),
  /** Time in ms that the server may keep the request open. */
  hold_ms: z.int().min(0).max(LONGEST_HOLD_MS),
})
export type AwaitAnswerRequest = z.output<typeof AwaitAnswerRequest>

export const CallAnswerV1 = z.strictObject({
  call_answer_version: z.literal(1),
  ...call,
  decision: z.enum(['approved', 'denied']),
  by: z.string().min(1).max(300),
  note: z.string().min(1).max(2000).exactOptional(),
  at: Instant,
})
export type CallAnswerV1 = z.output<typeof CallAnswerV1>

/** Loose, so that a newer server may add fields. */
export const AwaitAnswerResponse = z.looseObject({
  /** `waiting`: there is no answer yet; ask again. `closed`: there will be no answer. */
  state: z.enum(['waiting', 'answered', 'closed']),
  /** Call answer v1 as canonical JSON; only if `answered`. */
  text: z.string().max(20_000).exactOptional(),
  /** Ed25519 over the text, base64url; only if `answered`. */
  signature: z.string().max(200).exactOptional(),
  detail: z.string().max(2000).exactOptional(),
})
export type AwaitAnswerResponse = z.output<typeof AwaitAnswerResponse>

/** `seed`: of the project's active signing key. */
export function signCallAnswer(
  answer: CallAnswerV1,
  seed: string,
): { readonly text: string; readonly signature: string } {
  const text = canonicalJson(answer)
  return { text, signature: signText(text, seed) }
}

/** null unless one of the public keys `keys` signed the answer and it is about exactly this call. */
export function openCallAnswer(
  { text, signature }: { readonly text: string; readonly signature: string },
  asked: Pick<AwaitAnswerRequest, keyof typeof call>,
  keys: readonly string[],
): CallAnswerV1 | null {
  if (!keys.some((key) => verifyText(text, signature, key))) return null
  const parsed = CallAnswerV1.safeParse(JSON.parse(text))
  if (!parsed.success) return null
  const { session, seq, call_id, tool, input } = parsed.data
  const isSame =
    session === asked.session &&
    seq === asked.seq &&
    call_id === asked.call_id &&
    tool === asked.tool &&
    input === asked.input
  return isSame ? parsed.data : null
}
