'use client'
import { clsx } from 'clsx'
import {
  ArrowDown,
  ArrowUp,
  Braces,
  ChevronDown,
  ChevronRight,
  Copy,
  Trash2,
  Wrench,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { type JsonPath, removeValue, setValue, swapItems } from '@/components/kit/diff/json-edit.ts'
import { listAt, stringAt, toPointer } from '@/components/kit/diff/json-values.ts'
import { Button, IconButton } from '@/components/ui/button.tsx'
import { Input } from '@/components/ui/input.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import { Words } from '@/components/ui/words.tsx'
import { firedSentence } from '../document/data-advice.ts'
import { fixLabel } from '../document/fixes.ts'
import { duplicateRule } from '../document/rule-moves.ts'
import { ruleKindAt } from '../document/schema-walk.ts'
import { ChoiceField } from './fields.tsx'
import { useForm } from './form-context.tsx'

const MODES = [
  { value: 'enforce', label: 'enforce' },
  { value: 'shadow', label: 'shadow' },
  { value: 'off', label: 'off' },
] as const

export function RuleCard({
  path,
  noun,
  words,
  hasMode,
  children,
}: {
  /** Ends with the index in its list. */
  readonly path: JsonPath
  readonly noun: string
  /** Description from core; null: the rule cannot be described. */
  readonly words: string | null
  readonly hasMode?: boolean
  readonly children: ReactNode
}) {
  const { value, activity, released, isOpen, setOpen, fresh, onLeave } = useForm()
  const id = stringAt(value, [...path, 'id'])
  const pointer = toPointer(path)
  const open = isOpen(pointer)
  // Sections, redactions and rules that are off have cards, too, but never fire.
  const fires = ruleKindAt(path) !== null && stringAt(value, [...path, 'mode']) !== 'off'
  const fired = fires && activity !== null ? firedSentence(activity, id, released) : null
  return (
    <fieldset
      id={`form${pointer}`}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (fresh === pointer && !currentTarget.contains(relatedTarget)) onLeave()
      }}
      className="min-w-0 scroll-mt-2 rounded-card border border-border bg-surface"
    >
      <legend className="sr-only">
        {noun} {id}
      </legend>
      <div
        className={clsx(
          'flex flex-wrap items-center gap-1.5 px-2 py-1',
          open && 'border-border border-b',
        )}
      >
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(pointer, !open)}
          className="flex min-h-6 min-w-0 items-center gap-1 font-semibold"
        >
          {open ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
          {noun}
          {!open && <code className="truncate font-normal">{id}</code>}
        </button>
        <ReplacedBase id={id} />
        {open && hasMode === true && (
          <ChoiceField
            path={[...path, 'mode']}
            label={`Mode of ${id}`}
            options={MODES}
            absent="enforce"
          />
        )}
        <RuleActions path={path} id={id} />
        {/* On a line of its own, so that long ids are readable. */}
        {open && <IdField path={path} noun={noun} />}
      </div>
      {open && (
        <div data-fields className="flex flex-col gap-3 p-3">
          {children}
        </div>
      )}
      {fresh !== pointer && <RuleProblems path={path} />}
      {((words !== null && words !== '') || fired !== null) && (
        <p className="flex flex-wrap gap-x-3 border-border border-t px-3 py-1.5 text-small text-text-2">
          {words !== null && words !== '' && (
            <span className="min-w-0 flex-1">
              <Words text={words} />
            </span>
          )}
          {fired !== null && <span className="text-text-3">{fired}</span>}
        </p>
      )}
    </fieldset>
  )
}

/** Empty for a rule that the base does not have. */
function ReplacedBase({ id }: { readonly id: string }) {
  const { inherited } = useForm()
  if (inherited === null || (inherited.origins.get(id) ?? 'own') === 'own') return null
  return <span className="text-small text-text-2">replaces {inherited.reference}</span>
}

function IdField({ path, noun }: { readonly path: JsonPath; readonly noun: string }) {
  const { value, edit } = useForm()
  const id = stringAt(value, [...path, 'id'])
  return (
    <Input
      aria-label={`Id of ${noun} ${id}`}
      data-pointer={toPointer([...path, 'id'])}
      value={id}
      spellCheck={false}
      onChange={({ target }) => edit((text) => setValue(text, [...path, 'id'], target.value), true)}
      className="basis-full font-mono text-mono"
    />
  )
}

function RuleActions({ path, id }: { readonly path: JsonPath; readonly id: string }) {
  const { value, edit, show } = useForm()
  const index = path.at(-1)
  const list = path.slice(0, -1)
  const last = listAt(value, list).length - 1
  const isListed = typeof index === 'number'
  return (
    <div className="ml-auto flex items-center">
      {isListed && last > 0 && (
        <>
          <IconButton
            label={`Move ${id} up`}
            disabled={index === 0}
            onClick={() => edit((text) => swapItems(text, list, index - 1))}
          >
            <ArrowUp size={14} aria-hidden />
          </IconButton>
          <IconButton
            label={`Move ${id} down`}
            disabled={index === last}
            onClick={() => edit((text) => swapItems(text, list, index))}
          >
            <ArrowDown size={14} aria-hidden />
          </IconButton>
        </>
      )}
      {isListed && (
        <IconButton
          label={`Duplicate ${id}`}
          onClick={() => edit((text) => duplicateRule(text, value, path))}
        >
          <Copy size={14} aria-hidden />
        </IconButton>
      )}
      <IconButton label={`Show ${id} in the JSON`} onClick={() => show(toPointer(path))}>
        <Braces size={14} aria-hidden />
      </IconButton>
      <IconButton label={`Remove ${id}`} onClick={() => edit((text) => removeValue(text, path))}>
        <Trash2 size={14} aria-hidden />
      </IconButton>
    </div>
  )
}

function RuleProblems({ path }: { readonly path: JsonPath }) {
  const { problems, show, fix } = useForm()
  const pointer = toPointer(path)
  // A rule inside this rule has a card of its own, which shows its problems.
  const own = problems.filter(
    ({ pointer: at }) =>
      (at === pointer || at.startsWith(`${pointer}/`)) &&
      !/\/(checkers|content|policies|sections)\/\d/.test(at.slice(pointer.length)),
  )
  if (own.length === 0) return null
  return (
    <ul className="border-border border-t px-3 py-1.5">
      {own.map((problem) => {
        const isError = problem.severity === 'error'
        return (
          <li
            key={`${problem.pointer} ${problem.code} ${problem.message}`}
            className={clsx(
              'flex flex-wrap items-center gap-2 text-small',
              isError ? 'text-deny-fg' : 'text-warning-fg',
            )}
          >
            <button
              type="button"
              onClick={() => show(problem.pointer)}
              className="flex min-h-6 items-start gap-1.5 py-1 text-left hover:underline"
            >
              <StatusIcon status={isError ? 'error' : 'warning'} size={14} />
              {problem.message}
            </button>
            {problem.fix !== null && (
              <Button onClick={() => fix(problem)}>
                <Wrench size={14} aria-hidden /> {fixLabel(problem.fix)}
              </Button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
