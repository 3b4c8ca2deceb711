// What connects the first runtime: a command, with a real key once somebody who may has made one.
'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState, useSyncExternalStore } from 'react'
import { expiresAt, IN_90_DAYS } from '../settings/key-expiry.tsx'
import { useEnvironment } from '../shell/environment-switcher.tsx'
import { useRight } from '../shell/use-right.ts'
import { useTRPC } from '../trpc-provider.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { ReasonedButton } from '../ui/reasoned-button.tsx'
import { ScrollBox } from '../ui/scroll-box.tsx'
import { Select } from '../ui/select.tsx'
import { ErrorLine } from '../ui/states.tsx'

const PLACEHOLDER = '<key>'

/** Where agents find this server: as the browser found it. */
function useOrigin(): string {
  return useSyncExternalStore(
    () => () => undefined,
    () => window.location.origin,
    () => 'http://127.0.0.1:3000',
  )
}

function commandOf(origin: string, key: string): string {
  return [
    `export SIGNALBOX_URL=${origin} SIGNALBOX_API_KEY=${key}`,
    'npx signalbox daemon --prompt <ns/key>',
  ].join('\n')
}

/** `isWaiting`: no runtime has reported yet. */
export function ConnectCommand({ isWaiting }: { readonly isWaiting: boolean }) {
  const origin = useOrigin()
  const { key, where, makeKey } = useFirstKey()
  const command = commandOf(origin, key ?? PLACEHOLDER)
  return (
    <div className="flex max-w-full flex-col items-start gap-2">
      <div className="flex max-w-full items-start gap-1">
        <ScrollBox
          label="Connect command"
          className="min-w-0 overflow-x-auto rounded-control border border-border bg-surface-2 px-3 py-2"
        >
          <pre className="text-mono">{command}</pre>
        </ScrollBox>
        <CopyButton text={command} label="Copy the connect command" />
      </div>
      {key === null ? (
        makeKey
      ) : (
        <p className="text-text-2">
          The key is in the command. It is shown only now: copy it before you leave this page. It is
          for {where}, may ingest and read, and ends in 90 days.
        </p>
      )}
      {isWaiting && key !== null ? (
        <p role="status" className="text-text-2">
          Waiting for the first heartbeat…
        </p>
      ) : null}
    </div>
  )
}

/** `key` null: none was made here. */
function useFirstKey() {
  const trpc = useTRPC()
  const client = useQueryClient()
  const right = useRight({ roles: ['admin'], does: 'making API keys' })
  const environments = useQuery(trpc.runtimes.environments.queryOptions()).data ?? []
  const shown = useEnvironment()
  const [chosen, choose] = useState<string | null>(null)
  const where = chosen ?? shown ?? environments[0]?.name
  const create = useMutation(
    trpc.keys.create.mutationOptions({
      onSuccess: () => void client.invalidateQueries({ queryKey: trpc.keys.list.queryKey() }),
    }),
  )
  const submit = (): void => {
    if (where === undefined) return
    create.mutate({
      ...{ name: `First runtime in ${where}`, environment: where, scopes: ['ingest', 'read'] },
      expiresAt: expiresAt(IN_90_DAYS, Date.now()) ?? null,
    })
  }
  const makeKey = (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <ReasonedButton
          {...right}
          disabled={where === undefined || create.isPending}
          onClick={submit}
        >
          <KeyRound size={14} aria-hidden />
          Create key
        </ReasonedButton>
        {where === undefined || !right.isAllowed ? null : (
          <Select
            label="Environment of the key"
            value={where}
            options={environments.map(({ name }) => ({ value: name, label: `for ${name}` }))}
            onChange={choose}
          />
        )}
        {right.reason === null ? null : <span className="text-text-2">{right.reason}</span>}
      </div>
      {create.error === null ? null : (
        <ErrorLine>The key was not made: {create.error.message}</ErrorLine>
      )}
    </>
  )
  return { key: create.data?.secret ?? null, where: create.variables?.environment, makeKey }
}
