// Signed as exact text by the key that signs the bundles; names the one session that it is about (specs/session-control.md).
import * as z from 'zod/v4'
import { canonicalJson } from './digest.ts'
import { Count, Instant, OrderReason, SessionId } from './names.ts'
import { signText, verifyText } from './signature.ts'

export const ORDER_ACTIONS = ['pause', 'resume', 'end'] as const

export const SessionOrderV1 = z.strictObject({
  session_order_version: z.literal(1),
  session: SessionId,
  /** Number of the order in its session, from 1; grows with each order. */
  counter: Count.min(1),
  action: z.enum(ORDER_ACTIONS),
  by: z.string().min(1).max(300),
  reason: OrderReason,
  at: Instant,
  /** Epoch ms; a runtime refuses the order from then on. */
  expires_at: Instant,
})
export type SessionOrderV1 = z.output<typeof SessionOrderV1>

/** Loose, so that a newer server may add fields. */
export const SignedSessionOrder = z.looseObject({
  /** Session order v1 as canonical JSON. */
  text: z.string().max(10_000),
  /** Ed25519 over the text, base64url. */
  signature: z.string().max(200),
})
export type SignedSessionOrder = z.output<typeof SignedSessionOrder>

export const GivenSessionOrder = z.looseObject({
  /** Number of the order in its session. */
  counter: Count,
  /** Epoch ms; a runtime refuses the order from then on. */
  expires_at: Instant,
  /** False: the runtime does not report now, and gets the order when it is back. */
  reachable: z.boolean(),
})
export type GivenSessionOrder = z.output<typeof GivenSessionOrder>

/** `seed`: of the project's active signing key. */
export function signSessionOrder(
  order: SessionOrderV1,
  seed: string,
): { readonly text: string; readonly signature: string } {
  const text = canonicalJson(order)
  return { text, signature: signText(text, seed) }
}

/** null unless one of the public keys `keys` signed it, as an order. */
export function openSessionOrder(
  { text, signature }: Pick<SignedSessionOrder, 'text' | 'signature'>,
  keys: readonly string[],
): SessionOrderV1 | null {
  if (!keys.some((key) => verifyText(text, signature, key))) return null
  return SessionOrderV1.safeParse(parseSigned(text)).data ?? null
}

function parseSigned(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
