'use client'
import { plural } from '@signalbox/core/analysis'
import { clsx } from 'clsx'
import { ChevronDown, ChevronUp, Wrench } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '@/components/ui/button.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import type { LocatedProblem } from './document/analysis.ts'
import { fixLabel } from './document/fixes.ts'

export function ProblemsPanel({
  problems,
  current,
  readOnly,
  onGo,
  onFix,
}: {
  readonly problems: readonly LocatedProblem[]
  readonly current: LocatedProblem | null
  readonly readOnly: boolean
  readonly onFix: (problem: LocatedProblem) => void
  readonly onGo: (problem: LocatedProblem) => void
}) {
  // On a narrow screen the list would cover the form, so it is closed at first.
  const [isOpen, setOpen] = useState(false)
  const errors = problems.filter(({ severity }) => severity === 'error').length
  return (
    <section
      aria-label="Problems"
      className="flex max-h-40 shrink-0 flex-col border-border border-t bg-surface max-sm:sticky max-sm:bottom-14 max-sm:z-10"
    >
      <div className="flex min-h-8 shrink-0 items-center justify-between pr-1">
        <h2 className="flex items-center gap-2 px-3 font-semibold text-h2">
          Problems
          <span className="font-normal text-small text-text-2">
            {foundText(problems.length, errors)}
          </span>
        </h2>
        {problems.length > 0 && (
          <IconButton
            label={isOpen ? 'Hide problems' : 'Show problems'}
            aria-expanded={isOpen}
            className="sm:hidden"
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronUp size={14} aria-hidden />}
          </IconButton>
        )}
      </div>
      {problems.length > 0 && (
        <ul className={clsx('overflow-y-auto pb-1', !isOpen && 'max-sm:hidden')}>
          {problems.map((problem) => (
            <li
              key={`${problem.pointer} ${problem.code} ${problem.message}`}
              className={clsx(
                'flex items-center pr-2',
                problem === current ? 'bg-row-selected' : 'hover:bg-row-hover',
              )}
            >
              <button
                type="button"
                onClick={() => onGo(problem)}
                aria-current={problem === current}
                className="flex min-h-7 min-w-0 flex-1 items-start gap-2 px-3 py-1 text-left"
              >
                <StatusIcon status={problem.severity === 'error' ? 'error' : 'warning'} />
                <span className="sr-only">{problem.severity}</span>
                <span className="min-w-0 flex-1">{problem.message}</span>
                <code className="hidden max-w-1/2 break-all text-text-3 sm:inline">
                  {problem.pointer}
                </code>
                <span className="whitespace-nowrap text-small text-text-3">
                  line {problem.line}
                </span>
              </button>
              {problem.fix !== null && (
                <Button
                  disabled={readOnly}
                  aria-label={`Fix: ${fixLabel(problem.fix)}, ${problem.message}`}
                  onClick={() => onFix(problem)}
                >
                  <Wrench size={14} aria-hidden /> {fixLabel(problem.fix)}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function foundText(all: number, errors: number): string {
  if (all === 0) return 'none'
  const warnings = all - errors
  return [
    ...(errors > 0 ? [plural(errors, 'error')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
  ].join(', ')
}
