import { z } from 'zod'
import { EnvironmentInput, NewEnvironmentInput } from '@/server/environments/environment-input.ts'
import { changeDemands, createEnvironment } from '@/server/environments/environments.ts'
import { invite, revokeInvitation } from '@/server/people/invitations.ts'
import { CreateKeyInput, RotateKeyInput } from '@/server/people/key-input.ts'
import { createKey, revokeKey, rotateKey } from '@/server/people/keys.ts'
import { changeRole, listMemberViews, removeMember } from '@/server/people/members.ts'
import { InviteInput, ProjectInput, SetRoleInput, UserId } from '@/server/people/people-input.ts'
import { changeName, currentProject } from '@/server/people/projects.ts'
import { listInvitations } from '@/server/platform/auth/invitations.sql.ts'
import { KEY_SCOPES } from '@/server/platform/auth/key-scopes.kinds.ts'
import { listKeys } from '@/server/platform/auth/keys.sql.ts'
import { ServiceError } from '@/server/platform/base/errors.ts'
import { action, rowsAnswer, toRows } from './manage-action.ts'

const ROOT = '/api/manage/v1'
const AT = 1_795_000_000_000

const At = z.int().describe('Epoch milliseconds.')
const RoleName = z.enum(['viewer', 'editor', 'publisher', 'admin'])
const PublishIn = z
  .array(z.string())
  .nullable()
  .describe('Environments of a publisher; null: all, or another role.')
const None = z.object({})
const Named = z.object({ id: z.string() })
const Made = z.object({ id: z.string() })

const Key = z.object({
  id: z.string(),
  name: z.string(),
  environment: z.string(),
  prefix: z.string(),
  scopes: z.array(z.enum(KEY_SCOPES)),
  created_by: z.string().describe('Id of the user or key that created it.'),
  created_at: At,
  expires_at: At.nullable(),
  last_used_at: At.nullable(),
  revoked_at: At.nullable(),
  replaced_by: z.string().nullable().describe('Id of the key that rotation created.'),
})

const EXAMPLE_KEY: z.infer<typeof Key> = {
  id: 'key_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
  name: 'nightly agents',
  environment: 'dev',
  prefix: 'sbx_ab12cd34',
  scopes: ['ingest', 'read'],
  created_by: 'usr_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
  created_at: AT,
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
  replaced_by: null,
}

const Person = z.object({
  user_id: z.string(),
  name: z.string(),
  email: z.string(),
  role: RoleName,
  publish_in: PublishIn,
  created_at: At,
  signs_in_by: z.array(z.enum(['password', 'oidc'])),
  by_group: z
    .object({ provider: z.string(), groups: z.array(z.string()) })
    .nullable()
    .describe('Identity provider and groups that decide about the role; null: people do.'),
})

const Invitation = z.object({
  id: z.string(),
  email: z.string(),
  role: RoleName,
  publish_in: PublishIn,
  invited_by: z.string().nullable(),
  created_at: At,
  expires_at: At,
  state: z.enum(['pending', 'accepted', 'expired', 'revoked']),
})

const KEYS = [
  action({
    method: 'GET',
    path: `${ROOT}/keys`,
    summary: 'List keys',
    description: 'Lists the keys of the environment, newest first, also those that ended.',
    input: None,
    answer: rowsAnswer(Key, EXAMPLE_KEY),
    run: async (actor) => {
      const keys = await listKeys(actor)
      return toRows(keys.filter(({ environment }) => environment === actor.key?.environment))
    },
  }),
  action({
    method: 'POST',
    path: `${ROOT}/keys`,
    summary: 'Create a key',
    description:
      'Creates a key of the same environment, with scopes that the calling key has, which does not outlive it.',
    input: CreateKeyInput,
    example: { name: 'nightly agents', environment: 'dev', scopes: ['ingest'], expires_at: null },
    answer: {
      status: 201,
      description: 'The key. `secret` cannot be read again.',
      schema: Made.extend({ secret: z.string(), prefix: z.string() }),
      example: { id: EXAMPLE_KEY.id, secret: 'sbx_…', prefix: EXAMPLE_KEY.prefix },
    },
    run: (actor, input) => createKey(actor, { ...input, scopes: [...new Set(input.scopes)] }),
  }),
  action({
    method: 'POST',
    path: `${ROOT}/keys/{id}/rotate`,
    summary: 'Rotate a key',
    input: RotateKeyInput,
    inPath: { id: 'id' },
    example: { overlap_hours: 24, expires_at: null },
    refusals: { 409: { description: 'The key no longer works, or was already rotated.' } },
    answer: {
      status: 201,
      description: 'The new key. `secret` cannot be read again.',
      schema: Made.extend({ secret: z.string(), old_expires_at: At }),
      example: { id: EXAMPLE_KEY.id, secret: 'sbx_…', old_expires_at: AT },
    },
    run: rotateKey,
  }),
  action({
    method: 'DELETE',
    path: `${ROOT}/keys/{id}`,
    summary: 'Revoke a key',
    input: Named,
    inPath: { id: 'id' },
    run: (actor, { id }) => revokeKey(actor, id),
  }),
]

const PEOPLE = [
  action({
    method: 'GET',
    path: `${ROOT}/people`,
    summary: 'List people',
    description: 'Lists the members of the project.',
    input: None,
    answer: rowsAnswer(Person, {
      user_id: 'usr_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
      name: 'Ana',
      email: 'ana@example.com',
      role: 'publisher',
      publish_in: ['dev'],
      created_at: AT,
      signs_in_by: ['password'],
      by_group: null,
    }),
    run: async (actor) => toRows(await listMemberViews(actor)),
  }),
  action({
    method: 'PATCH',
    path: `${ROOT}/people/{id}`,
    summary: 'Change the role of a person',
    input: SetRoleInput,
    inPath: { id: 'userId' },
    example: { role: 'publisher', publish_in: ['dev'] },
    run: changeRole,
  }),
  action({
    method: 'DELETE',
    path: `${ROOT}/people/{id}`,
    summary: 'Remove a person',
    input: z.object({ userId: UserId }),
    inPath: { id: 'userId' },
    run: async (actor, { userId }) => {
      const member = (await listMemberViews(actor)).find((each) => each.userId === userId)
      if (member === undefined) {
        throw new ServiceError('not_found', 'This user is not a member of the project.')
      }
      await removeMember(actor, { userId, typedEmail: member.email })
    },
  }),
  action({
    method: 'GET',
    path: `${ROOT}/invitations`,
    summary: 'List invitations',
    input: None,
    answer: rowsAnswer(Invitation, {
      id: 'inv_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
      email: 'ana@example.com',
      role: 'viewer',
      publish_in: null,
      invited_by: null,
      created_at: AT,
      expires_at: AT,
      state: 'pending',
    }),
    run: async (actor) => toRows(await listInvitations(actor)),
  }),
  action({
    method: 'POST',
    path: `${ROOT}/invitations`,
    summary: 'Invite a person',
    description: 'Ends older links for the same address.',
    input: InviteInput,
    example: { email: 'ana@example.com', role: 'viewer', publish_in: null },
    refusals: { 409: { description: 'The address belongs to a member.' } },
    answer: {
      status: 201,
      description: 'The invitation. `link` cannot be read again.',
      schema: Made.extend({
        link: z.string(),
        expires_at: At,
        mail: z.looseObject({ state: z.string() }),
      }),
      example: {
        id: 'inv_01JB2Q3V4W5X6Y7Z8A9B0C1D2E',
        link: 'https://signalbox.example.com/invite?token=…',
        expires_at: AT,
        mail: { state: 'none' },
      },
    },
    run: invite,
  }),
  action({
    method: 'DELETE',
    path: `${ROOT}/invitations/{id}`,
    summary: 'Revoke an invitation',
    input: Named,
    inPath: { id: 'id' },
    run: (actor, { id }) => revokeInvitation(actor, id),
  }),
]

const SETTINGS = [
  action({
    method: 'GET',
    path: `${ROOT}/project`,
    summary: 'Read the project',
    input: None,
    answer: {
      status: 200,
      description: 'The project.',
      schema: z.object({ id: z.string(), slug: z.string(), name: z.string() }),
      example: { id: 'prj_01JB2Q3V4W5X6Y7Z8A9B0C1D2E', slug: 'default', name: 'Default' },
    },
    run: (actor) => currentProject(actor),
  }),
  action({
    method: 'PATCH',
    path: `${ROOT}/project`,
    summary: 'Rename the project',
    input: ProjectInput,
    example: { name: 'Support' },
    run: (actor, { name }) => changeName(actor, name),
  }),
  action({
    method: 'POST',
    path: `${ROOT}/environments`,
    summary: 'Create an environment',
    description: 'Adds it at the end of the order of promotion.',
    input: NewEnvironmentInput,
    example: {
      name: 'canary',
      requires_note: false,
      requires_typed_name: false,
      required_approvals: 0,
      rollback_skips_approval: true,
      requires_backtest: false,
    },
    refusals: { 409: { description: 'The project has an environment of this name.' } },
    answer: {
      status: 201,
      description: 'The environment.',
      schema: Made,
      example: { id: 'env_01JB2Q3V4W5X6Y7Z8A9B0C1D2E' },
    },
    run: createEnvironment,
  }),
  action({
    method: 'PUT',
    path: `${ROOT}/environments/{name}`,
    summary: 'Change the requirements of the environment',
    description: 'Changes those of the environment of the key.',
    input: EnvironmentInput,
    inPath: { name: 'name' },
    example: {
      requires_note: true,
      requires_typed_name: false,
      required_approvals: 1,
      rollback_skips_approval: true,
      requires_backtest: false,
    },
    run: async (actor, input) => {
      if (input.name !== actor.key?.environment) {
        throw new ServiceError('not_found', `This API key sees no environment "${input.name}".`)
      }
      await changeDemands(actor, input)
    },
  }),
]

export const PROJECT_ENDPOINTS = [...KEYS, ...PEOPLE, ...SETTINGS]
