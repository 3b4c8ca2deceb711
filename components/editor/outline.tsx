'use client'
// The parts of the document with how many rules and problems each has; a click brings the form there.
import type { JsonObject } from '@signalbox/core'
import {
  EyeOff,
  Gauge,
  Layers,
  ListChecks,
  type LucideIcon,
  MessageSquareText,
  Shield,
  Type,
} from 'lucide-react'
import type { LocatedProblem } from './analysis.ts'
import { listAt, valueAt } from './json-values.ts'

export interface Part {
  readonly id: string
  readonly title: string
  readonly icon: LucideIcon
  /** Pointers that belong to it. */
  readonly owns: readonly string[]
}

export const PARTS: readonly Part[] = [
  {
    id: 'prompt',
    title: 'Prompt',
    icon: Type,
    owns: ['/ns', '/key', '/name', '/description', '/aliases'],
  },
  { id: 'tools', title: 'Tools', icon: Layers, owns: ['/sections'] },
  { id: 'policies', title: 'Policies', icon: Shield, owns: ['/policies'] },
  {
    id: 'feedback',
    title: 'Feedback',
    icon: MessageSquareText,
    owns: ['/feedback_providers', '/feedback_exclusive'],
  },
  { id: 'completion', title: 'Completion', icon: ListChecks, owns: ['/task_completion_checker'] },
  { id: 'limits', title: 'Limits', icon: Gauge, owns: ['/limits'] },
  { id: 'redaction', title: 'Redaction', icon: EyeOff, owns: ['/redaction'] },
]

function partOf(pointer: string): Part | undefined {
  return PARTS.find(({ owns }) =>
    owns.some((own) => pointer === own || pointer.startsWith(`${own}/`)),
  )
}

function countOf(part: Part, value: JsonObject): number | null {
  switch (part.id) {
    case 'tools':
      return listAt(value, ['sections']).length
    case 'policies':
      return listAt(value, ['policies']).length
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

export function Outline({
  value,
  problems,
}: {
  readonly value: JsonObject
  readonly problems: readonly LocatedProblem[]
}) {
  return (
    <nav
      aria-label="Outline"
      className="hidden w-44 shrink-0 overflow-y-auto border-border border-r bg-surface p-2 xl:block"
    >
      <ul className="flex flex-col gap-0.5">
        {PARTS.map((part) => {
          const { id, title, icon: Icon } = part
          const wrong = problems.filter(({ pointer }) => partOf(pointer)?.id === id).length
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
                  <span className="text-small text-warning-fg">
                    {wrong}
                    <span className="sr-only"> problems</span> ▲
                  </span>
                )}
                <span className="text-micro text-text-3">{countOf(part, value)}</span>
              </a>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}
