'use client'
// Settings › Redaction: which rules a config holds, and a tester that runs the runtime's own code in this browser. Nothing that is
// pasted here is sent or stored.
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { parseAsString, useQueryStates } from 'nuqs'
import type { PromptName } from '@/server/repositories/configs.ts'
import { configPath } from '../configs/config-path.ts'
import { SettingsFrame } from '../settings/settings-frame.tsx'
import { useTRPC } from '../trpc-provider.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Field } from '../ui/input.tsx'
import { Select } from '../ui/select.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import { RuleList } from './rule-list.tsx'
import { type RuleSource, sourcesOf } from './rule-sources.ts'
import { Tester } from './tester.tsx'

export function RedactionPage() {
  const trpc = useTRPC()
  const [{ config, rules }, set] = useQueryStates({ config: parseAsString, rules: parseAsString })
  const list = useQuery(trpc.configs.list.queryOptions({ limit: 200 }))
  const names = (list.data?.configs ?? []).map(({ ns, key }) => `${ns}/${key}`)
  const chosen = config ?? names[0]
  return (
    <SettingsFrame>
      {list.isPending && <SkeletonRows />}
      {list.isError && (
        <ErrorState
          what="The configs could not be loaded."
          why={list.error.message}
          onRetry={() => void list.refetch()}
        />
      )}
      {list.isSuccess && chosen === undefined && (
        <EmptyState title="There is no config yet, so only the names that are always secret are taken out." />
      )}
      {chosen !== undefined && (
        <OfConfig
          key={chosen}
          name={chosen}
          names={names}
          rules={rules}
          onConfig={(next) => void set({ config: next, rules: null })}
          onRules={(next) => void set({ rules: next })}
        />
      )}
    </SettingsFrame>
  )
}

function promptOf(name: string): PromptName {
  const at = name.lastIndexOf('/')
  return { ns: name.slice(0, Math.max(0, at)), key: name.slice(at + 1) }
}

function OfConfig({
  name,
  names,
  rules,
  onConfig,
  onRules,
}: {
  readonly name: string
  readonly names: readonly string[]
  readonly rules: string | null
  readonly onConfig: (name: string) => void
  readonly onRules: (place: string) => void
}) {
  const trpc = useTRPC()
  const prompt = promptOf(name)
  const query = useQuery(trpc.drafts.open.queryOptions(prompt))
  const sources = query.data === undefined ? [] : sourcesOf(query.data)
  const source = sources.find(({ place }) => place === rules) ?? sources[0]
  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <Field label="Config">
          {({ id }) => (
            <Select
              id={id}
              label="Config"
              value={name}
              options={[...new Set([...names, name])].map((value) => ({ value, label: value }))}
              onChange={onConfig}
            />
          )}
        </Field>
        {source !== undefined && (
          <Field label="As it is in">
            {({ id }) => (
              <Select
                id={id}
                label="As it is in"
                value={source.place}
                options={sources.map(({ place, label }) => ({ value: place, label }))}
                onChange={onRules}
              />
            )}
          </Field>
        )}
      </div>
      {query.isPending && <SkeletonRows />}
      {query.isError && (
        <ErrorState
          what={`${name} could not be loaded.`}
          why={query.error.message}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data !== undefined && source === undefined && (
        <EmptyState title={`${name} has neither a draft nor a version yet.`} />
      )}
      {query.data !== undefined && source !== undefined && (
        <Shown prompt={prompt} source={source} workbench={query.data} />
      )}
    </>
  )
}

function Shown({
  prompt,
  source,
  workbench,
}: {
  readonly prompt: PromptName
  readonly source: RuleSource
  readonly workbench: Parameters<typeof sourcesOf>[0]
}) {
  const edit = `${configPath(prompt.ns, prompt.key)}/edit#part-redaction`
  return (
    <>
      <Card>
        <CardHeader
          title="Rules"
          aside="applied in the agent's process, before anything is recorded"
          actions={
            <Link href={edit} className="shrink-0 text-link">
              Edit in the config
            </Link>
          }
        />
        <RuleList source={source} />
      </Card>
      <Tester
        // Rules of another version give another result.
        key={source.place}
        rules={source.rules ?? []}
        workbench={workbench}
      />
    </>
  )
}
