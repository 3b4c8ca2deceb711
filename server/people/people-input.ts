// Input shapes of users and invitations. Forms use them too, so nothing of the server is imported.
import { z } from 'zod'

/** Shown beside the user's actions, so it must not reverse, hide or break the text around it. */
export const Name = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]*$/u, {
    error: 'A name holds no invisible characters.',
  })
const Email = z.email('This is not an email address.').max(254)
const Password = z.string().min(10, 'At least 10 characters.').max(128)
const RoleName = z.enum(['viewer', 'editor', 'publisher', 'admin'])
export const UserId = z.string().min(1).max(64)
/** Names of a publisher's environments; null: all. */
const PublishIn = z.array(z.string().min(1).max(64)).max(50).nullable().default(null)

export const InviteInput = z.object({ email: Email, role: RoleName, publishIn: PublishIn })

export const SetRoleInput = z.object({ userId: UserId, role: RoleName, publishIn: PublishIn })

export const SetupInput = z.object({
  token: z.string().max(256),
  name: Name,
  email: Email,
  password: Password,
})

const Token = z.string().min(1).max(128)

export const InvitationToken = z.object({ token: Token })

export const AcceptInput = z.object({ token: Token, name: Name, password: Password })

export const ProjectInput = z.object({
  name: z.string().trim().min(1, 'Give the project a name.').max(60),
})
