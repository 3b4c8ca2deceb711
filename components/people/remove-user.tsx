'use client'
import { plural, pluralize } from '@signalbox/core/analysis'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { TypedConfirm } from '@/components/kit/form/lazy-typed-confirm.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorLine, ErrorState, Skeleton } from '@/components/ui/states.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { Member } from './grant.ts'

const counted = (count: number, noun: string): string =>
  count === 0 ? `no ${pluralize(noun)}` : plural(count, noun)

export function RemoveUser({
  member,
  onClose,
}: {
  readonly member: Member
  readonly onClose: () => void
}) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { userId, name, email } = member
  const effect = useQuery({ ...trpc.members.removal.queryOptions({ userId }), staleTime: 0 })
  const remove = useMutation(
    trpc.members.remove.mutationOptions({
      onSuccess: () => {
        toast(`${name} was removed.`)
        void client.invalidateQueries({ queryKey: trpc.members.list.queryKey() })
        onClose()
      },
    }),
  )
  const { data } = effect
  return (
    <TypedConfirm
      onClose={onClose}
      title={`Remove ${name}`}
      effect={
        data?.isLastProject === true
          ? `Access ends immediately: ${counted(data.logins, 'login')} and the account itself are removed. This cannot be undone.`
          : 'Access to this project ends immediately. Access to other projects does not change. This cannot be undone.'
      }
      word={email}
      action={`Remove ${name}`}
      isBlocked={data === undefined || data.isLastAdmin}
      onConfirm={(typedEmail) => remove.mutateAsync({ userId, typedEmail })}
    >
      {effect.isPending && <Skeleton className="w-3/4" />}
      {effect.isError && (
        <ErrorState what="The data that will be kept could not be loaded." why={effect.error} />
      )}
      {data?.isLastAdmin === true && (
        <ErrorLine>{name} is the last admin. Make another user an admin first.</ErrorLine>
      )}
      {data !== undefined && (
        <ul className="list-disc pl-5 text-text-2">
          <li>
            {data.drafts + data.versions === 0
              ? `${name} has no drafts and no versions.`
              : `${counted(data.drafts, 'open draft')} and ${counted(data.versions, 'version')} by ${name} will be kept.`}
          </li>
          {data.keys.length === 0 && <li>{name} created no key that is still active.</li>}
          {data.keys.length > 0 && (
            <li>
              {counted(data.keys.length, 'key')} that {name} created stay active. Revoke them under{' '}
              <Link href="/settings/keys" className="text-link underline">
                API keys
              </Link>{' '}
              if {name} may have a copy:{' '}
              {data.keys
                .map((key) => `${key.name} (${key.prefix}…, ${key.environment})`)
                .join(', ')}
              .
            </li>
          )}
        </ul>
      )}
    </TypedConfirm>
  )
}
