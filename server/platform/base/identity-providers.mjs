// @ts-check
// The text of OIDC_PROVIDERS. No message quotes a value, because the text contains client secrets.
import { z } from 'zod'

const Role = z.enum(['viewer', 'editor', 'publisher', 'admin'])
const RoleWithoutAdmin = z.enum(['viewer', 'editor', 'publisher'])
const Line = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}\p{Cf}]+$/u, 'must be one line of text')
const Label = Line.max(40)

const GroupRole = z
  .strictObject({
    group: Line.max(200),
    role: Role,
    /** Slug; absent: the oldest project. */
    project: z
      .string()
      .regex(/^[a-z0-9_-]{1,60}$/, 'must be the slug of a project')
      .optional(),
    /** Where a publisher may release; absent: everywhere. */
    environments: z.array(Line.max(60)).min(1).optional(),
  })
  .refine(({ role, environments }) => role === 'publisher' || environments === undefined, {
    path: ['environments'],
    message: 'belongs to the role publisher only',
  })

const Groups = z.strictObject({
  claim: z.string().min(1).max(200).default('groups'),
  /** Scopes that make the provider send the claim. */
  scopes: z.array(z.string().regex(/^[\x21-\x7e]+$/, 'must be the name of a scope')).default([]),
  /** For a person with none of the groups: a role in the oldest project, or none. */
  without: z.enum(['refuse', ...RoleWithoutAdmin.options]).default('refuse'),
  session_hours: z.int().min(1).max(720).default(24),
  map: z.array(GroupRole).min(1).max(500),
})

const IdentityProvider = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must have lowercase letters, digits and hyphens')
      .refine((id) => id !== 'credential', 'is the name of the password sign-in'),
    label: Label,
    issuer: z.url({ protocol: /^https?$/ }),
    client_id: z.string().min(1),
    client_secret: z.string().min(1),
    allowed_domains: z.array(z.string().trim().min(1).toLowerCase()).default([]),
    default_role: RoleWithoutAdmin.default('viewer'),
    groups: Groups.optional(),
  })
  .refine(({ groups, allowed_domains: domains }) => groups === undefined || domains.length === 0, {
    path: ['allowed_domains'],
    message: 'must be absent, because groups decide who may join',
  })

/** @typedef {z.output<typeof IdentityProvider>} IdentityProvider */
/** @typedef {z.output<typeof Groups>} GroupRules */

const List = z
  .array(IdentityProvider)
  .min(1)
  .max(20)
  .superRefine((providers, context) => {
    for (const field of /** @type {const} */ (['id', 'label'])) {
      const seen = new Set()
      for (const [index, provider] of providers.entries()) {
        if (seen.has(provider[field])) {
          const message = 'is the one of another provider, too'
          context.addIssue({ code: 'custom', path: [index, field], message })
        }
        seen.add(provider[field])
      }
    }
  })

/** @param {string} text @returns {unknown} undefined: not JSON */
function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const IdentityProviders = z.string().transform((text, context) => {
  const json = parseJson(text)
  const parsed = List.safeParse(json)
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  if (json !== undefined) for (const { path, message } of issues) addIssue(path, message)
  else addIssue([], 'is no JSON')
  return z.NEVER

  /** @param {readonly PropertyKey[]} path @param {string} message */
  function addIssue(path, message) {
    context.addIssue({ code: 'custom', path: [...path], message })
  }
})
