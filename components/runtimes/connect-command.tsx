'use client'
// The install command verifies the download before running it. A key created here stays on the page until the user hides it.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState, useSyncExternalStore } from 'react'
import { serverAddress } from '@/components/paths/prefix.ts'
import { expiresAt, IN_90_DAYS } from '@/components/people/key-expiry.ts'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { ScrollBox } from '@/components/ui/scroll-box.tsx'
import { Select } from '@/components/ui/select.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import {
  type ConnectStep,
  connectCommands,
  LIBRARIES,
  plainTextWarning,
} from './connect-commands.ts'
import { keepMadeKey, type MadeKey, useMadeKey } from './made-key.ts'

const LOOK_EVERY_MS = 2_000

function useServerUrl(): string {
  return useSyncExternalStore(
    () => () => undefined,
    serverAddress,
    () => 'http://127.0.0.1:3000',
  )
}

export function ConnectCommand() {
  const trpc = useTRPC()
  const serverUrl = useServerUrl()
  const madeKey = useMadeKey()
  const [agent, setAgent] = useState('claude-code')
  const [prompt, setPrompt] = useState('')
  const { data: commandPackage } = useQuery(trpc.runtimes.commandPackage.queryOptions())
  if (commandPackage === undefined) return null
  if (commandPackage === null) {
    return (
      <p className="text-text-2">
        This server was built without the CLI package, like a development server. Run the CLI from a
        checkout: <code>node packages/cli/dist/main.js</code>
      </p>
    )
  }
  const warning = plainTextWarning(serverUrl)
  const steps = connectCommands({
    serverUrl,
    commandPackage,
    agent,
    apiKey: madeKey?.secret ?? null,
    prompt: prompt.trim() === '' ? null : prompt.trim(),
  })
  return (
    <div className="flex max-w-full flex-col gap-3">
      {warning === null ? null : (
        <p className="flex items-start gap-2 rounded-control border border-warning-bd bg-warning-bg px-3 py-2 text-warning-fg">
          <span className="mt-0.5">
            <StatusIcon status="warning" />
          </span>
          {warning}
        </p>
      )}
      <div className="flex flex-wrap items-end gap-3">
        <Field label="Agent">
          {({ id }) => (
            <Select
              id={id}
              label="Agent"
              value={agent}
              options={[
                ...commandPackage.harnesses.map(({ name, title }) => ({
                  value: name,
                  label: title,
                })),
                ...LIBRARIES,
              ]}
              onChange={setAgent}
            />
          )}
        </Field>
        <Field label="Prompt">
          {(control) => (
            <Input
              {...control}
              className="w-48 font-mono text-mono"
              placeholder="team/coder"
              spellCheck={false}
              value={prompt}
              onChange={({ target }) => setPrompt(target.value)}
            />
          )}
        </Field>
        {madeKey === null ? <CreateKey /> : null}
      </div>
      <ol className="flex min-w-0 flex-col gap-2">
        {steps.map((step) => (
          <Step key={step.id} step={step} />
        ))}
      </ol>
      {madeKey === null ? null : <MadeKeyNote madeKey={madeKey} />}
    </div>
  )
}

function Step({ step: { title, command } }: { readonly step: ConnectStep }) {
  return (
    <li className="min-w-0">
      <h3 className="font-medium text-small text-text-2">{title}</h3>
      <div className="flex max-w-full items-start gap-1">
        <ScrollBox
          label={title}
          className="min-w-0 overflow-x-auto rounded-control border border-border bg-surface-2 px-3 py-2"
        >
          <pre className="text-mono">{command}</pre>
        </ScrollBox>
        <CopyButton text={command} label={`Copy: ${title}`} />
      </div>
    </li>
  )
}

function MadeKeyNote({ madeKey }: { readonly madeKey: MadeKey }) {
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="text-text-2">
        The key is in the second command and is shown only now. It is for {madeKey.environment}, can
        ingest and read, and expires in 90 days.
      </p>
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={() => keepMadeKey(null)}>Hide key</Button>
        <Heartbeat keyId={madeKey.id} />
      </div>
    </div>
  )
}

/** A runtime reports as soon as it connects, which is the first use of the key. */
function Heartbeat({ keyId }: { readonly keyId: string }) {
  const trpc = useTRPC()
  const { data: keys } = useQuery({
    ...trpc.keys.list.queryOptions(),
    refetchInterval: ({ state }) => (wasUsed(state.data, keyId) ? false : LOOK_EVERY_MS),
  })
  return (
    <p role="status" className="text-text-2">
      {wasUsed(keys, keyId)
        ? 'The runtime is connected.'
        : 'Waiting for the runtime’s first heartbeat…'}
    </p>
  )
}

interface UsedKey {
  readonly id: string
  readonly lastUsedAt: number | null
}

function wasUsed(keys: readonly UsedKey[] | undefined, keyId: string): boolean {
  return keys?.some(({ id, lastUsedAt }) => id === keyId && lastUsedAt !== null) === true
}

function CreateKey() {
  const trpc = useTRPC()
  const client = useQueryClient()
  const right = useRight({ roles: ['admin'], does: 'creating API keys' })
  const environments = useQuery(trpc.runtimes.environments.queryOptions()).data ?? []
  const shown = useEnvironment()
  const [chosen, choose] = useState<string | null>(null)
  const environment = chosen ?? shown ?? environments[0]?.name
  const create = useMutation(
    trpc.keys.create.mutationOptions({
      onSuccess: ({ id, secret }, { environment: where }) => {
        keepMadeKey({ id, secret, environment: where })
        void client.invalidateQueries({ queryKey: trpc.keys.list.queryKey() })
      },
    }),
  )
  const submit = (): void => {
    if (environment === undefined) return
    create.mutate({
      name: `First runtime in ${environment}`,
      environment,
      scopes: ['ingest', 'read'],
      expiresAt: expiresAt(IN_90_DAYS, Date.now()) ?? null,
    })
  }
  return (
    <>
      {environment === undefined || !right.isAllowed ? null : (
        <Field label="Environment">
          {({ id }) => (
            <Select
              id={id}
              label="Environment of the key"
              value={environment}
              options={environments.map(({ name }) => ({ value: name, label: name }))}
              onChange={choose}
            />
          )}
        </Field>
      )}
      <ReasonedButton
        {...right}
        disabled={environment === undefined || create.isPending}
        onClick={submit}
      >
        <KeyRound size={14} aria-hidden />
        Create key
      </ReasonedButton>
      {right.reason === null ? null : <span className="text-text-2">{right.reason}</span>}
      {create.error === null ? null : (
        <ErrorLine>The key was not created: {create.error.message}</ErrorLine>
      )}
    </>
  )
}
