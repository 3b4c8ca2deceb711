'use client'
// Rules and tester run the runtime's own code, so they are loaded lazily.

import type { RedactionKind } from '@signalbox/core'
import { plural, REDACTION_KINDS, REDACTION_WORDS } from '@signalbox/core/analysis'
import { DEMO_NAMESPACE } from '@signalbox/wire'
import { useQuery } from '@tanstack/react-query'
import { configPath } from '@/components/paths/config-path.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Field } from '@/components/ui/input.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Select } from '@/components/ui/select.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Cell, HeadCell, Row, Table } from '@/components/ui/table.tsx'
import type { PromptName } from '@/server/configs/configs.sql.ts'
import { listRuleSources, type RuleSource } from './rule-sources.ts'
import { Tester } from './tester.tsx'

function Values({ kind, children }: { readonly kind: RedactionKind; readonly children: string }) {
  return (
    <Cell label={REDACTION_WORDS[kind].title} className="max-w-none whitespace-normal">
      {children}
    </Cell>
  )
}

function RuleList({ source }: { readonly source: RuleSource }) {
  if (source.rules === null)
    return (
      <EmptyState title="This text cannot be read as a config, so its rules are unknown. The tester below uses only the built-in secret names." />
    )
  return (
    <Table isStacked>
      <thead>
        <tr>
          <HeadCell>Rule</HeadCell>
          {REDACTION_KINDS.map((kind) => (
            <HeadCell key={kind}>{REDACTION_WORDS[kind].title}</HeadCell>
          ))}
        </tr>
      </thead>
      <tbody>
        <Row>
          <Cell>
            <code>builtin.secrets</code>
          </Cell>
          {REDACTION_KINDS.map((kind) => (
            <Values key={kind} kind={kind}>
              {REDACTION_WORDS[kind].always}
            </Values>
          ))}
        </Row>
        {source.rules.map((rule) => (
          <Row key={rule.id}>
            <Cell>
              <code>{rule.id}</code>
            </Cell>
            {REDACTION_KINDS.map((kind) => (
              <Values key={kind} kind={kind}>
                {rule[kind]?.join(', ') || '–'}
              </Values>
            ))}
          </Row>
        ))}
      </tbody>
    </Table>
  )
}

function splitPromptName(name: string): PromptName {
  const at = name.lastIndexOf('/')
  return { ns: name.slice(0, Math.max(0, at)), key: name.slice(at + 1) }
}

function labelConfig(name: string): string {
  return splitPromptName(name).ns === DEMO_NAMESPACE ? `${name} (Demo)` : name
}

interface ShownConfig {
  readonly name: string
  /** Place of the chosen source; null: the first one. */
  readonly rules: string | null
}

function useRuleSource({ name, rules }: ShownConfig) {
  const trpc = useTRPC()
  const query = useQuery(trpc.drafts.open.queryOptions(splitPromptName(name)))
  const sources = query.data === undefined ? [] : listRuleSources(query.data)
  const source = sources.find(({ place }) => place === rules) ?? sources[0]
  return { query, sources, source }
}

export function RedactionFacts(shown: ShownConfig) {
  const { source } = useRuleSource(shown)
  const rules = source?.rules ?? null
  return rules === null
    ? '\u00a0'
    : `${rules.length === 0 ? 'No redaction rules' : plural(rules.length, 'redaction rule')} beyond the built-in secret names.`
}

export function ConfigRedaction({
  name,
  names,
  rules,
  onConfig,
  onRules,
}: ShownConfig & {
  readonly names: readonly string[]
  readonly onConfig: (name: string) => void
  readonly onRules: (place: string) => void
}) {
  const { query, sources, source } = useRuleSource({ name, rules })
  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <Field label="Config">
          {({ id }) => (
            <Select
              id={id}
              label="Config"
              value={name}
              options={[...new Set([...names, name])].map((value) => ({
                value,
                label: labelConfig(value),
              }))}
              onChange={onConfig}
            />
          )}
        </Field>
        {source !== undefined && (
          <Field label="Version">
            {({ id }) => (
              <Select
                id={id}
                label="Version"
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
          why={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data !== undefined && source === undefined && (
        <EmptyState title={`${name} has neither a draft nor a version yet.`} />
      )}
      {query.data !== undefined && source !== undefined && (
        <Shown prompt={splitPromptName(name)} source={source} workbench={query.data} />
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
  readonly workbench: Parameters<typeof listRuleSources>[0]
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
        // The key remounts the tester for the rules of another version.
        key={source.place}
        rules={source.rules ?? []}
        workbench={workbench}
      />
    </>
  )
}
