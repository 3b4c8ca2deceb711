// The gate for people: a login session, and the project that its user is a member of. Mints ProjectScope.
import 'server-only'
import { APIError } from 'better-auth/api'
import { ServiceError } from '../errors.ts'
import { findMembership } from '../repositories/members.ts'
import { auth } from './auth.ts'
import { mintProjectScope, type ProjectScope } from './scope.ts'

interface SignedInUser {
  readonly id: string
  readonly name: string
  readonly email: string
}

// One lookup a request, however many procedures a batch holds; the request's own Headers object is the key.
const users = new WeakMap<Headers, Promise<SignedInUser | null>>()
const scopes = new WeakMap<Headers, Promise<ProjectScope>>()

/** better-auth hides why a lookup failed; the only thing that can fail there is the database. */
async function readSession(headers: Headers) {
  try {
    return await auth().api.getSession({ headers, query: { disableRefresh: true } })
  } catch (cause) {
    if (!(cause instanceof APIError)) throw cause
    throw new ServiceError('unavailable', 'The database does not answer. Try again in a moment.')
  }
}

async function lookUp(headers: Headers): Promise<SignedInUser | null> {
  const session = await readSession(headers)
  if (session === null) return null
  const { id, name, email } = session.user
  return { id, name, email }
}

/** Null when nobody is signed in, the session has expired, or it was ended. */
function findUser(headers: Headers): Promise<SignedInUser | null> {
  const known = users.get(headers)
  if (known !== undefined) return known
  const found = lookUp(headers)
  users.set(headers, found)
  return found
}

/** Rejects with `unauthenticated` when nobody is signed in. */
async function requireUser(headers: Headers): Promise<SignedInUser> {
  const user = await findUser(headers)
  if (user === null) throw new ServiceError('unauthenticated', 'Sign in to continue.')
  return user
}

async function mint(headers: Headers): Promise<ProjectScope> {
  const user = await requireUser(headers)
  const membership = await findMembership(user.id)
  if (membership === null) {
    throw new ServiceError(
      'forbidden',
      'You are not a member of a project. Ask an admin to add you.',
    )
  }
  const { projectId, role } = membership
  return mintProjectScope({ projectId, role, userId: user.id, userName: user.name })
}

/** Rejects with `unauthenticated`, or with `forbidden` when the user is no member of any project (any more). */
export function requireProjectScope(headers: Headers): Promise<ProjectScope> {
  const known = scopes.get(headers)
  if (known !== undefined) return known
  const minted = mint(headers)
  scopes.set(headers, minted)
  return minted
}
