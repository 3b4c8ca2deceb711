'use client'
// Task completion: the tree of checkers. Off unless declared; composites nest.
import type { CheckerDocument, JsonObject } from '@signalbox/core'
import { describeChecker } from '@signalbox/core/analysis'
import { Plus } from 'lucide-react'
import { type JsonPath, removeValue, setValue } from '@/components/kit/diff/json-edit.ts'
import { freeId, listAt, stringAt, valueAt } from '@/components/kit/diff/json-values.ts'
import { Button } from '@/components/ui/button.tsx'
import { Select } from '@/components/ui/select.tsx'
import { NEW_CHECKERS } from '../new-rules.ts'
import { ChipsField, TextField, ToggleField } from './fields.tsx'
import { useForm } from './form-context.tsx'
import { RuleCard } from './rule-card.tsx'
import { UnknownRule } from './unknown-rule.tsx'
import { useWords } from './use-words.ts'

const ROOT = ['task_completion_checker'] as const

const CHECKERS: readonly { readonly label: string; readonly rule: JsonObject }[] = [
  { label: 'Plan', rule: NEW_CHECKERS.plan },
  { label: 'Files exist', rule: NEW_CHECKERS.files_exist },
  { label: 'Tool succeeded', rule: NEW_CHECKERS.tool_succeeded },
  { label: 'Judge', rule: NEW_CHECKERS.llm_judge },
  { label: 'Expression', rule: NEW_CHECKERS.expression },
  { label: 'Composite', rule: NEW_CHECKERS.composite },
]

export function CheckerTree() {
  const { value, add } = useForm()
  if (valueAt(value, ROOT) !== undefined) return <CheckerCard path={ROOT} />
  return (
    <div className="flex flex-col gap-2">
      <p className="text-text-2">
        Stops are not checked. Choose the condition for the agent to stop.
      </p>
      <AddChecker onAdd={(rule) => add(ROOT, rule)} />
    </div>
  )
}

function AddChecker({ onAdd }: { readonly onAdd: (rule: JsonObject) => void }) {
  const { value } = useForm()
  return (
    <div className="flex flex-wrap gap-2">
      {CHECKERS.map(({ label, rule }) => (
        <Button
          key={label}
          onClick={() => onAdd({ ...rule, id: freeId(value, String(rule['id'])) })}
        >
          <Plus size={14} aria-hidden /> {label}
        </Button>
      ))}
    </div>
  )
}

function CheckerCard({ path }: { readonly path: JsonPath }) {
  const { value } = useForm()
  const type = stringAt(value, [...path, 'type'])
  // useWords gives null unless the whole document has the shape of a config.
  const words = useWords(path, (rule) => describeChecker(rule as CheckerDocument))
  switch (type) {
    case 'plan':
      return (
        <RuleCard path={path} noun="Plan" words={words}>
          <p className="text-small text-text-2">
            Every step of the plan must be done. Without a plan there is nothing to check.
          </p>
        </RuleCard>
      )
    case 'files_exist':
      return (
        <RuleCard path={path} noun="Files exist" words={words}>
          <ChipsField path={[...path, 'files']} label="Files" adding="add file" keepEmpty />
        </RuleCard>
      )
    case 'tool_succeeded':
      return (
        <RuleCard path={path} noun="Tool succeeded" words={words}>
          <TextField path={[...path, 'tool']} label="Tool" required />
          <ChipsField
            path={[...path, 'after']}
            label="Newer than the last success of"
            hint="Leave empty if any earlier success counts"
          />
        </RuleCard>
      )
    case 'llm_judge':
      return (
        <RuleCard path={path} noun="Judge" words={words}>
          <TextField path={[...path, 'criteria']} label="Criteria" multiline required />
          <ToggleField
            path={[...path, 'require_adapter']}
            label="Block while no model can be asked"
            absent
          />
        </RuleCard>
      )
    case 'expression':
      return (
        <RuleCard path={path} noun="Expression" words={words}>
          <TextField
            path={[...path, 'require']}
            label="Must be true"
            multiline
            required
            hint="CEL over calls, session and stop."
          />
          <TextField
            path={[...path, 'feedback']}
            label="Feedback to the agent if false"
            placeholder="Tasks are incomplete."
          />
        </RuleCard>
      )
    case 'composite':
      return (
        <RuleCard path={path} noun="Composite" words={words}>
          <Composite path={path} />
        </RuleCard>
      )
    default:
      return <UnknownRule path={path} type={type} words={words} />
  }
}

const HOW_MANY = [
  { value: 'all', label: 'all must pass' },
  { value: 'any', label: 'any one is enough' },
] as const

function Composite({ path }: { readonly path: JsonPath }) {
  const { value, edit, add } = useForm()
  const list = [...path, 'checkers']
  const flag = [...path, 'all_must_pass']
  return (
    <>
      <Select
        label="How many must pass"
        value={valueAt(value, flag) === false ? 'any' : 'all'}
        options={HOW_MANY}
        onChange={(next) =>
          edit((text) => (next === 'any' ? setValue(text, flag, false) : removeValue(text, flag)))
        }
        className="self-start"
      />
      <div className="flex flex-col gap-3 border-border border-l-2 pl-3">
        {listAt(value, list).map((_, index) => (
          // The place in the list is the identity of a rule while its id is being typed.
          <CheckerCard key={`checker-${String(index)}`} path={[...list, index]} />
        ))}
        <AddChecker onAdd={(rule) => add(list, rule)} />
      </div>
    </>
  )
}
