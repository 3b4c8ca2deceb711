'use client'
import type { JsonObject } from '@signalbox/core'
import {
  EyeOff,
  Gauge,
  Layers,
  ListChecks,
  type LucideIcon,
  MessageSquareText,
  ScanSearch,
  Shield,
  Type,
} from 'lucide-react'
import { useState } from 'react'
import type { JsonPath } from '@/components/kit/diff/json-edit.ts'
import { listAt, stringAt, toPointer, valueAt } from '@/components/kit/diff/json-values.ts'
import { Input } from '@/components/ui/input.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import type { LocatedProblem } from './document/analysis.ts'

export interface Part {
  readonly id: string
  readonly title: string
  readonly icon: LucideIcon
  readonly owns: readonly string[]
}

export const PARTS: readonly Part[] = [
  {
    id: 'prompt',
    title: 'Prompt',
    icon: Type,
    owns: ['/ns', '/key', '/name', '/description', '/extends', '/aliases'],
  },
  { id: 'tools', title: 'Tools', icon: Layers, owns: ['/sections'] },
  { id: 'policies', title: 'Policies', icon: Shield, owns: ['/policies'] },
  { id: 'content', title: 'Content', icon: ScanSearch, owns: ['/content'] },
  {
    id: 'feedback',
    title: 'Feedback',
    icon: MessageSquareText,
    owns: ['/feedback_providers', '/feedback_exclusive'],
  },
  { id: 'completion', title: 'Completion', icon: ListChecks, owns: ['/task_completion_checker'] },
  {
    id: 'limits',
    title: 'Limits',
    icon: Gauge,
    owns: ['/limits', '/lease', '/final_verification'],
  },
  { id: 'redaction', title: 'Redaction', icon: EyeOff, owns: ['/redaction'] },
]

export function findPart(pointer: string): Part | undefined {
  return PARTS.find(({ owns }) =>
    owns.some((own) => pointer === own || pointer.startsWith(`${own}/`)),
  )
}

function countItems(part: Part, value: JsonObject): number | null {
  switch (part.id) {
    case 'tools':
      return listAt(value, ['sections']).length
    case 'policies':
      return listAt(value, ['policies']).length
    case 'content':
      return listAt(value, ['content']).length
    case 'feedback':
      return listAt(value, ['feedback_providers']).length
    case 'completion':
      return valueAt(value, ['task_completion_checker']) === undefined ? 0 : 1
    case 'redaction':
      return listAt(value, ['redaction']).length
    default:
      return null
  }
}

interface OutlineRule {
  readonly id: string
  readonly pointer: string
}

const LISTS: Readonly<Record<string, string>> = {
  tools: 'sections',
  policies: 'policies',
  content: 'content',
  feedback: 'feedback_providers',
  redaction: 'redaction',
}

function listOutlineRules(part: Part, value: JsonObject): readonly OutlineRule[] {
  const list = LISTS[part.id]
  if (list !== undefined) {
    return listAt(value, [list]).map((_, at) => ({
      id: stringAt(value, [list, at, 'id']),
      pointer: `/${list}/${at}`,
    }))
  }
  return part.id === 'completion' ? listOutlineChecks(value, ['task_completion_checker']) : []
}

function listOutlineChecks(value: JsonObject, path: JsonPath): readonly OutlineRule[] {
  if (valueAt(value, path) === undefined) return []
  const below = listAt(value, [...path, 'checkers']).flatMap((_, at) =>
    listOutlineChecks(value, [...path, 'checkers', at]),
  )
  return [{ id: stringAt(value, [...path, 'id']), pointer: toPointer(path) }, ...below]
}

/** In the look of the list of problems. */
function ProblemMark({ problems }: { readonly problems: readonly LocatedProblem[] }) {
  if (problems.length === 0) return null
  const isWrong = problems.some(({ severity }) => severity === 'error')
  return (
    <>
      <span className="sr-only">{isWrong ? 'has errors' : 'has warnings'}</span>
      <StatusIcon status={isWrong ? 'error' : 'warning'} />
    </>
  )
}

/** From this number of rules, the outline offers a filter. */
const MANY = 12

export function Outline({
  value,
  problems,
  onShow,
}: {
  readonly value: JsonObject
  readonly problems: readonly LocatedProblem[]
  readonly onShow: (pointer: string) => void
}) {
  const [filter, setFilter] = useState('')
  const parts = PARTS.map((part) => ({ part, rules: listOutlineRules(part, value) }))
  const total = parts.reduce((sum, { rules }) => sum + rules.length, 0)
  const wanted = filter.trim().toLowerCase()
  return (
    <nav
      aria-label="Outline"
      className="hidden w-56 shrink-0 flex-col gap-2 overflow-y-auto border-border border-r bg-surface p-2 xl:flex"
    >
      {total > MANY && (
        <Input
          aria-label="Filter rules"
          placeholder="Filter rules"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
      )}
      <ul className="flex flex-col gap-0.5">
        {parts.map(({ part, rules }) => {
          const { id, title, icon: Icon } = part
          const within = problems.filter(({ pointer }) => findPart(pointer)?.id === id)
          const wrong = within.length
          const shown = rules.filter((rule) => rule.id.toLowerCase().includes(wanted))
          return (
            <li key={id}>
              <a
                href={`#part-${id}`}
                onClick={(event) => {
                  event.preventDefault()
                  document.getElementById(`part-${id}`)?.scrollIntoView({ block: 'start' })
                }}
                className="flex h-7 items-center gap-2 rounded-control px-2 text-text-2 hover:bg-surface-2"
              >
                <Icon size={14} className="shrink-0" aria-hidden />
                <span className="flex-1 truncate">{title}</span>
                {wrong > 0 && (
                  <span className="inline-flex items-center gap-1 text-small text-text-2">
                    {wrong}
                    <span className="sr-only"> problems</span>
                    <ProblemMark problems={within} />
                  </span>
                )}
                <span className="text-micro text-text-3">
                  {wanted === '' ? countItems(part, value) : shown.length}
                </span>
              </a>
              {shown.length > 0 && (
                <ul>
                  {shown.map((rule) => (
                    <li key={rule.pointer}>
                      <button
                        type="button"
                        onClick={() => onShow(rule.pointer)}
                        title={rule.id}
                        className="flex h-6 w-full items-center gap-1 rounded-control pr-2 pl-7 text-left text-small text-text-2 hover:bg-surface-2"
                      >
                        <span className="min-w-0 flex-1 truncate">
                          {rule.id === '' ? 'without an ID' : rule.id}
                        </span>
                        <ProblemMark
                          problems={problems.filter(
                            ({ pointer }) =>
                              pointer.startsWith(`${rule.pointer}/`) || pointer === rule.pointer,
                          )}
                        />
                      </button>
                    </li>
                  ))}
                </ul>
              )}
            </li>
          )
        })}
      </ul>
      {wanted !== '' &&
        parts.every(
          ({ rules }) => !rules.some((rule) => rule.id.toLowerCase().includes(wanted)),
        ) && (
          <p className="px-2 text-small text-text-2">No rule has “{filter.trim()}” in its ID.</p>
        )}
    </nav>
  )
}
