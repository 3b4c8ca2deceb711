// What inputs about people have in common.
import { z } from 'zod'

/** Shown beside what the person did: nothing in it may turn, hide or break what stands around. */
export const Name = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]*$/u, {
    error: 'A name holds no invisible characters.',
  })
export const Email = z.email('This is not an e-mail address.').max(254)
export const Password = z.string().min(10, 'At least 10 characters.').max(128)
export const RoleName = z.enum(['viewer', 'editor', 'publisher', 'admin'])
export const UserId = z.string().min(1).max(64)
/** For publishers: environments by name; null: every one. */
export const PublishIn = z.array(z.string().min(1).max(64)).max(50).nullable().default(null)
