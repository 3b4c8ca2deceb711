'use client'
// Permission of the signed-in user to change what an environment runs; if missing, the environments where they may, and the users who may
// there. The server decides; this is a preview.
import { useQuery } from '@tanstack/react-query'
import type { inferRouterOutputs } from '@trpc/server'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import type { AppRouter } from '@/server/trpc/root.ts'
import { useMe } from './account.ts'
import type { Right } from './use-right.ts'

type Member = inferRouterOutputs<AppRouter>['members']['list'][number]
type Grant = Pick<Member, 'role' | 'publishIn'>

const LIST = new Intl.ListFormat('en-GB')

/** `dev`, `dev and staging`, `dev, staging and production`. */
const listed = (names: readonly string[]): string => LIST.format(names)

export function mayRelease({ role, publishIn }: Grant, environment: string): boolean {
  if (role === 'admin') return true
  return role === 'publisher' && (publishIn === null || publishIn.includes(environment))
}

interface Act {
  /** `publish to` */
  readonly verb: string
  /** `publishing` */
  readonly noun: string
}

const PUBLISHING: Act = { verb: 'publish to', noun: 'publishing' }
const APPROVING: Act = { verb: 'approve calls in', noun: 'approving calls' }

/** `You may publish to dev and staging. Production: Ana and Marta.` */
export function refusalText(me: Grant, environment: string, members: readonly Member[]): string {
  return describeRightRefusal(PUBLISHING, me, { environment, members })
}

function describeRightRefusal(
  { verb, noun }: Act,
  me: Grant,
  { environment, members }: { readonly environment: string; readonly members: readonly Member[] },
): string {
  const own =
    me.role === 'publisher'
      ? `You may ${verb} ${me.publishIn?.length ? listed(me.publishIn) : 'no environment'}.`
      : `Your role ${me.role} does not include ${noun}.`
  const others = members.filter((member) => mayRelease(member, environment))
  const names = others.slice(0, 3).map(({ name }) => name)
  const more = others.length - names.length
  const who = names.length === 0 ? 'no one' : listed(more > 0 ? [...names, `${more} more`] : names)
  return `${own} ${environment[0]?.toUpperCase() ?? ''}${environment.slice(1)}: ${who}.`
}

export function useReleaseRight(environment: string): Right {
  return useRightIn(environment, PUBLISHING)
}

/** Right of the signed-in user to decide calls that wait there. Users who may release may also decide. */
export function useCallRight(environment: string): Right {
  return useRightIn(environment, APPROVING)
}

function useRightIn(environment: string, act: Act): Right {
  const { me, members } = usePeople((one) => !mayRelease(one, environment))
  const isAllowed = me !== undefined && mayRelease(me, environment)
  if (me === undefined || isAllowed) return { isAllowed, reason: null }
  return { isAllowed, reason: describeRightRefusal(act, me, { environment, members }) }
}

/** The same for any number of environments: why nothing may be released there; undefined while it may, or is not known yet. */
export function useReleaseRefusals(): (environment: string) => string | undefined {
  const { me, members } = usePeople(({ role }) => role !== 'admin')
  return (environment) =>
    me === undefined || mayRelease(me, environment)
      ? undefined
      : refusalText(me, environment, members)
}

/** Loads the reader, and the other members when they must be named. */
function usePeople(namesOthers: (me: Grant) => boolean) {
  const trpc = useTRPC()
  const me = useMe()
  const members = useQuery({
    ...trpc.members.list.queryOptions(),
    staleTime: 60_000,
    enabled: me !== undefined && namesOthers(me),
  }).data
  return { me, members: members ?? [] }
}
