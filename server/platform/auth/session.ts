// Never guesses the project: a user with several must name one (decision 32).
import 'server-only'
import { APIError } from 'better-auth/api'
import { env } from '../base/env.ts'
import { ServiceError } from '../base/errors.ts'
import { arrive } from './arrival.ts'
import { PROJECT_HEADER } from './asked-project.ts'
import { auth } from './auth.ts'
import { clientAddress } from './client-address.ts'
import { listMemberships, type Membership } from './members.sql.ts'
import { mintProjectScope, type ProjectScope } from './scope.ts'

export interface SignedInUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly sessionId: string
}

// One look-up per request, for all procedures of a batch. The key is the request's own Headers object.
const users = new WeakMap<Headers, Promise<SignedInUser | null>>()
const scopes = new WeakMap<Headers, Promise<ProjectScope>>()

/** better-auth hides why a look-up failed; only the database can fail there. */
async function readSession(headers: Headers) {
  try {
    return await auth().api.getSession({ headers })
  } catch (cause) {
    if (!(cause instanceof APIError)) throw cause
    throw new ServiceError('unavailable', 'The database does not answer. Try again in a moment.')
  }
}

async function lookUp(headers: Headers): Promise<SignedInUser | null> {
  const found = await readSession(headers)
  if (found === null) return null
  const { id, name, email } = found.user
  return { id, name, email, sessionId: found.session.id }
}

/** Null: no one is signed in, or the session has expired or was ended. */
export function findUser(headers: Headers): Promise<SignedInUser | null> {
  const known = users.get(headers)
  if (known !== undefined) return known
  const found = lookUp(headers)
  users.set(headers, found)
  return found
}

/** Rejects with `unauthenticated` when no one is signed in. */
export async function requireUser(headers: Headers): Promise<SignedInUser> {
  const user = await findUser(headers)
  if (user === null) throw new ServiceError('unauthenticated', 'Sign in to continue.')
  return user
}

function choose(memberships: readonly Membership[], asked: string | null): Membership {
  const [first, second] = memberships
  if (first === undefined) {
    throw new ServiceError(
      'forbidden',
      'You are not a member of a project. Ask an admin for an invitation.',
    )
  }
  if (asked === null && second === undefined) return first
  if (asked === null) {
    const message = 'You are a member of several projects. Name one with ?project= in the address.'
    throw new ServiceError('invalid', message, 'project')
  }
  const chosen = memberships.find(({ slug }) => slug === asked)
  if (chosen !== undefined) return chosen
  // Projects that do not exist and projects of other users get the same answer.
  throw new ServiceError('not_found', `You have no project "${asked}".`, 'project')
}

async function mint(headers: Headers): Promise<ProjectScope> {
  const user = await requireUser(headers)
  const chosen = choose(await listMemberships(user.id), headers.get(PROJECT_HEADER))
  const { projectId, role, publishIn } = chosen
  // A request comes here while the project moves, or when the addresses of cells are wrong.
  if (chosen.cell !== env().SIGNALBOX_CELL) {
    throw new ServiceError('unavailable', 'The project was moved. Try again in a moment.')
  }
  const scope = mintProjectScope({
    projectId,
    role,
    publishIn,
    userId: user.id,
    userName: user.name,
    origin: clientAddress(headers),
  })
  await arrive({ ...scope, email: user.email })
  return scope
}

/**
 * Rejects with `unauthenticated`; with `forbidden` when the user is not a member of any project; with `not_found` when they are not a
 * member of the project that `x-signalbox-project` names; with `invalid` when they have several projects and the header is absent.
 */
export function requireProjectScope(headers: Headers): Promise<ProjectScope> {
  const known = scopes.get(headers)
  if (known !== undefined) return known
  const minted = mint(headers)
  scopes.set(headers, minted)
  return minted
}
