'use client'
// Rules for a prompt that has no config yet. Guards and the offer are chosen until the user changes it; habits are not.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { ConfigName } from '@/components/paths/config-name.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Field } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { ErrorState, Skeleton } from '@/components/ui/states.tsx'
import type { LearnPlace } from '@/server/suggestions/learn-runs.sql.ts'
import type { SuggestedRule } from '@/server/suggestions/suggestions.ts'
import { RuleRow } from './rule-row.tsx'
import { RuleSections } from './rule-sections.tsx'
import { FirstSearch, isSearching, SearchButton, SearchState } from './search.tsx'
import { toggled } from './toggled.ts'
import { useSuggestions } from './use-suggestions.ts'

export interface ChosenRules {
  readonly environment: string
  readonly rules: readonly SuggestedRule[]
}

interface Props {
  /** Null: no prompt is named. */
  readonly prompt: ConfigName | null
  readonly onPrompt: (prompt: string) => void
  /** Null: there is nothing to choose from. */
  readonly onChoose: (chosen: ChosenRules | null) => void
}

const NONE = ''

export function RecordedRules({ prompt, onPrompt, onChoose }: Props) {
  const trpc = useTRPC()
  const recorded = useQuery(trpc.suggestions.prompts.queryOptions())
  const environments = useQuery(trpc.environments.list.queryOptions())
  const [asked, setAsked] = useState<string | null>(null)
  const named = prompt === null ? NONE : `${prompt.ns}/${prompt.key}`
  const prompts = recorded.data ?? []
  const chain = (environments.data ?? []).map(({ name }) => name)
  const busiest = prompts.find((one) => one.prompt === named)
  const environment = asked ?? busiest?.environment ?? chain[0]
  const names = [...new Set(prompts.map((one) => one.prompt))]
  const isListed = names.includes(named)
  const options = names.map((value) => ({ value, label: value }))
  const failed = [recorded, environments].find(({ error, data }) => error && data === undefined)
  if (failed !== undefined) {
    return (
      <Card>
        <ErrorState
          what="The recorded prompts could not be read."
          why={failed.error ?? ''}
          onRetry={() => void failed.refetch()}
        />
      </Card>
    )
  }
  if (recorded.data === undefined || environment === undefined) return <Skeleton className="h-64" />
  return (
    <div className="flex flex-col gap-3">
      <Card>
        <CardHeader title="Recorded sessions" aside="rules that good ones have in common" />
        <div className="flex flex-wrap items-start gap-3 p-3">
          {names.length === 0 ? (
            <p className="text-text-2">
              No prompt without a config completed a session in the last 30 days. Enter a prompt, or
              start from a template.
            </p>
          ) : (
            <Field label="Recorded prompt" hint="Has sessions of 30 days, and no config">
              {({ id }) => (
                <Select
                  id={id}
                  label="Recorded prompt"
                  value={isListed ? named : NONE}
                  options={isListed ? options : [{ value: NONE, label: 'Choose one' }, ...options]}
                  onChange={onPrompt}
                />
              )}
            </Field>
          )}
          <Field label="Environment">
            {({ id }) => (
              <Select
                id={id}
                label="Environment"
                value={environment}
                options={chain.map((value) => ({ value, label: value }))}
                onChange={setAsked}
              />
            )}
          </Field>
        </div>
      </Card>
      {prompt === null ? null : (
        <Found
          key={`${named} ${environment}`}
          place={{ ...prompt, environment }}
          onChoose={onChoose}
        />
      )}
    </div>
  )
}

function isPreselected({ kind, group }: SuggestedRule): boolean {
  return group === 'guard' || kind === 'file_facts'
}

const NO_RULES: readonly SuggestedRule[] = []

function Found({ place, onChoose }: Pick<Props, 'onChoose'> & { readonly place: LearnPlace }) {
  const { environment } = place
  const { data, error, refetch } = useSuggestions(place)
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  const rules = data?.rules ?? NO_RULES
  const chosen = useMemo(
    () => rules.filter((rule) => isPreselected(rule) !== changed.has(rule.id)),
    [rules, changed],
  )
  useEffect(() => {
    onChoose({ environment, rules: chosen })
    return () => onChoose(null)
  }, [onChoose, environment, chosen])
  if (data === undefined) {
    return error === null ? (
      <Skeleton className="h-64" />
    ) : (
      <Card>
        <ErrorState
          what="The suggested rules could not be loaded."
          why={error}
          onRetry={() => void refetch()}
        />
      </Card>
    )
  }
  const { run, sample } = data
  return (
    <>
      <SearchState place={place} run={run} />
      {sample === null && !isSearching(run) ? <FirstSearch place={place} /> : null}
      {sample === null ? null : (
        <>
          {isSearching(run) ? null : (
            <div>
              <SearchButton place={place} isAgain />
            </div>
          )}
          <RuleSections {...{ place, sample, rules }}>
            {(rule) => (
              <RuleRow
                key={rule.id}
                rule={rule}
                choice={{
                  isChosen: chosen.includes(rule),
                  onToggle: () => setChanged(toggled(changed, rule.id)),
                }}
              />
            )}
          </RuleSections>
        </>
      )}
    </>
  )
}
