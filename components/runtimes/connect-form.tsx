'use client'
// The first release: only rules in shadow mode, only in the first environment, and only for a prompt without a config, because without one
// every call is denied.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useId, useState } from 'react'
import { type ConfigName, NO_CONFIG_NAME, parseConfigName } from '@/components/paths/config-name.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { expiresAt, IN_90_DAYS } from '@/components/people/key-expiry.ts'
import { useEnvironment } from '@/components/shell/environment-switcher.tsx'
import { useReleaseRight } from '@/components/shell/release-right.ts'
import { useConfigRights } from '@/components/shell/use-config-rights.ts'
import { useRight } from '@/components/shell/use-right.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'
import { Field, Input } from '@/components/ui/input.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { Select } from '@/components/ui/select.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import type { ListedTemplate } from '@/server/configs/config-templates.ts'
import type { ConnectAgent } from './connect-agents.ts'
import type { ConnectFormChoice } from './connect-choice.ts'
import { keepMadeKey, type MadeKey, useMadeKey } from './made-key.ts'

const FIRST_TEMPLATE = 'coding-agent' satisfies ListedTemplate['name']

interface FormProps {
  readonly agent: ConnectAgent
  readonly choice: ConnectFormChoice
  readonly onChoice: (choice: ConnectFormChoice) => void
  /** Without a shown key, creating one is the next step of the page. */
  readonly isNextStep: boolean
}

/** A key that is created while this is unknown would be created without the first rules. */
function usePromptState(prompt: ConfigName | null) {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery({
    ...trpc.overview.steps.queryOptions({ prompt: prompt ?? { ns: 'none', key: 'none' } }),
    enabled: prompt !== null,
  })
  const isUnknown = prompt !== null && data === undefined
  return {
    isNew: prompt !== null && data?.hasConfig === false,
    hasConfig: data?.hasConfig !== false,
    hasRelease: data?.hasRelease !== false,
    hasKey: data?.hasKey === true,
    isUnknown,
    failure: isUnknown ? error : null,
    retry: refetch,
  }
}

export function ConnectForm({ agent, choice, onChoice, isNextStep }: FormProps) {
  const trpc = useTRPC()
  const madeKey = useMadeKey()
  const shown = useEnvironment()
  const environments = useQuery(trpc.runtimes.environments.queryOptions()).data ?? []
  const first = environments[0]?.name
  const environment = choice.environment ?? shown ?? first
  const prompt = parseConfigName(choice.prompt)
  const { data: templates = [], isPending } = useQuery(trpc.configs.templates.queryOptions())
  const template = templates.find(({ name }) => name === choice.template)?.name ?? FIRST_TEMPLATE
  const { isNew, hasConfig, hasRelease, hasKey, isUnknown, failure, retry } = usePromptState(prompt)
  const { edit } = useConfigRights()
  const release = useReleaseRight(first ?? '')
  const publishes =
    madeKey === null && isNew && edit.isAllowed && release.isAllowed && environment === first
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-small text-text-2">
        A prompt names one kind of task, such as <code>team/coder</code>. Rules belong to it.
      </p>
      <div className="flex flex-wrap items-end gap-2.5">
        <PromptField choice={choice} onChoice={onChoice} />
        {publishes && (
          <Field label="Starting rules">
            {({ id }) => (
              <Select
                id={id}
                label="Starting rules"
                className="max-sm:w-full"
                value={template}
                options={templates.map(({ name, title }) => ({
                  value: name,
                  label: `${title}, shadow mode`,
                }))}
                onChange={(next) => onChoice({ ...choice, template: next })}
              />
            )}
          </Field>
        )}
        {environment === undefined ? null : (
          <Field label="Environment">
            {({ id }) => (
              <Select
                id={id}
                label="Environment of the key"
                className="max-sm:w-full"
                value={environment}
                options={environments.map(({ name }) => ({ value: name, label: name }))}
                onChange={(next) => onChoice({ ...choice, environment: next })}
              />
            )}
          </Field>
        )}
        {madeKey !== null && <KeyField madeKey={madeKey} />}
        <CreateKey
          label={agent.label}
          environment={environment}
          isUnknown={isUnknown || isPending}
          isAnother={hasKey || madeKey !== null}
          isMain={isNextStep && madeKey === null && !hasKey}
          publish={publishes && prompt !== null ? { ...prompt, template } : null}
          onCreated={() => onChoice(choice)}
        />
      </div>
      <FormNote
        prompt={prompt}
        environment={madeKey?.environment ?? environment}
        isKeyShown={madeKey !== null}
        publishes={publishes}
        hasConfig={hasConfig}
        hasRelease={hasRelease}
      />
      {failure !== null && (
        <ErrorLine className="flex flex-wrap items-center gap-2">
          The config of this prompt could not be looked up: {failure.message}
          <Button onClick={() => void retry()}>Try again</Button>
        </ErrorLine>
      )}
    </div>
  )
}

function PromptField({ choice, onChoice }: Pick<FormProps, 'choice' | 'onChoice'>) {
  const [wasLeft, setLeft] = useState(false)
  const isWrong = wasLeft && parseConfigName(choice.prompt) === null
  return (
    <Field label="Prompt" error={isWrong ? NO_CONFIG_NAME : undefined}>
      {(control) => (
        <Input
          {...control}
          className="w-52 font-mono text-mono max-sm:w-full"
          placeholder="team/coder"
          spellCheck={false}
          value={choice.prompt}
          onBlur={() => setLeft(true)}
          onChange={({ target }) => onChoice({ ...choice, prompt: target.value })}
        />
      )}
    </Field>
  )
}

function FormNote({
  prompt,
  environment = '',
  isKeyShown,
  publishes,
  hasConfig,
  hasRelease,
}: {
  readonly prompt: ConfigName | null
  readonly environment: string | undefined
  readonly isKeyShown: boolean
  readonly publishes: boolean
  readonly hasConfig: boolean
  readonly hasRelease: boolean
}) {
  const look = 'text-small text-text-2'
  if (publishes) {
    return (
      <p className={look}>
        Shadow mode records what the rules would deny and denies nothing. You turn them on later,
        under Turn on enforcement.
      </p>
    )
  }
  if (hasConfig && !hasRelease && prompt !== null) {
    return (
      <p className={look}>
        Every call is denied until its config is released.{' '}
        <Link
          href={`${configPath(prompt.ns, prompt.key)}/edit`}
          className="text-link hover:underline"
        >
          Review and publish it
        </Link>
      </p>
    )
  }
  return (
    <p className={look}>
      {isKeyShown &&
        'This key is shown only here, until you leave this page. If you lose it, create another key. '}
      The key may send events and read rules, in {environment} only. It expires in 90 days.
      {!hasConfig && ' Every call is denied until the prompt has a config.'}
    </p>
  )
}

function shortKey(secret: string): string {
  return `${secret.slice(0, 8)}…${secret.slice(-5)}`
}

function KeyField({ madeKey: { secret, environment } }: { readonly madeKey: MadeKey }) {
  const id = useId()
  return (
    <div className="flex min-w-0 flex-col gap-1 max-sm:w-full">
      <span id={id} className="font-medium text-small text-text-2">
        API key
      </span>
      <output
        aria-labelledby={id}
        className="flex h-(--control) items-center gap-1.5 rounded-control border border-border-strong pl-2"
      >
        <StatusIcon status="allowed" />
        <code>{shortKey(secret)}</code>
        <span className="text-small text-text-2">{environment}, expires in 90 d</span>
        <CopyButton text={secret} label="Copy the API key" />
      </output>
    </div>
  )
}

interface FirstRelease extends ConfigName {
  readonly template: ListedTemplate['name']
}

function useFirstRelease() {
  const client = useTRPCClient()
  return async ({ ns, key, template }: FirstRelease, environment: string): Promise<void> => {
    await client.configs.create.mutate({ ns, key, template, mode: 'shadow' })
    const { draft } = await client.drafts.open.query({ ns, key })
    if (draft === null) throw new Error('The new config has no draft.')
    const result = await client.releases.publish.mutate({
      ns,
      key,
      environment,
      draftId: draft.id,
      revision: draft.revision,
      note: 'First rules, in shadow mode',
    })
    if (!result.ok)
      throw new Error(
        `The config ${ns}/${key} was created but not published. Publish it in the editor.`,
      )
  }
}

/** Null: the key can be created now. */
function findWait({
  environment,
  isUnknown,
  isPending,
}: {
  readonly environment: string | undefined
  readonly isUnknown: boolean
  readonly isPending: boolean
}): string | null {
  if (isPending) return 'The key is being created.'
  if (environment === undefined) return 'The environments are still loading.'
  return isUnknown ? 'Signalbox is looking up the config of this prompt.' : null
}

function CreateKey({
  label,
  environment,
  isUnknown,
  isAnother,
  isMain,
  publish,
  onCreated,
}: {
  readonly label: string
  readonly environment: string | undefined
  /** It is not loaded whether the config is to be published. */
  readonly isUnknown: boolean
  /** A key exists. */
  readonly isAnother: boolean
  /** It is the next step of the page. */
  readonly isMain: boolean
  /** Null: only the key is created. */
  readonly publish: FirstRelease | null
  readonly onCreated: () => void
}) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const release = useFirstRelease()
  const right = useRight('admin')
  const create = useMutation({
    mutationFn: async (where: string) => {
      if (publish !== null) await release(publish, where)
      const made = await client.keys.create.mutate({
        name: `${label} in ${where}`,
        environment: where,
        scopes: ['ingest', 'read'],
        expiresAt: expiresAt(IN_90_DAYS, Date.now()) ?? null,
      })
      return { ...made, environment: where }
    },
    onSuccess: ({ id, secret, environment: where }) => {
      keepMadeKey({ id, secret, environment: where, madeAt: Date.now() })
      onCreated()
    },
    onSettled: async () => {
      const { configs, keys, overview, releases } = trpc
      const changed = [keys.pathKey(), configs.pathKey(), releases.pathKey()]
      await Promise.all(
        [...changed, overview.steps.queryKey()].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      )
    },
  })
  const reason = right.reason ?? findWait({ environment, isUnknown, isPending: create.isPending })
  return (
    <>
      <ReasonedButton
        isAllowed={reason === null && right.isAllowed}
        reason={reason}
        variant={isMain ? 'primary' : 'secondary'}
        className="max-sm:h-9 max-sm:w-full"
        onClick={() => environment !== undefined && create.mutate(environment)}
      >
        <KeyRound size={14} aria-hidden />
        {publish === null
          ? isAnother
            ? 'Create another key'
            : 'Create key'
          : `Create key and publish to ${environment ?? ''} (shadow)`}
      </ReasonedButton>
      {right.reason === null ? null : <span className="text-text-2">{right.reason}</span>}
      {create.error === null ? null : (
        <ErrorLine>The key was not created: {create.error.message}</ErrorLine>
      )}
    </>
  )
}
