'use client'
import { CircleCheck, CircleDashed, OctagonPause } from 'lucide-react'
import type { ReactNode } from 'react'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import type { ShownGate } from './gates.ts'

export function GateList({
  gates,
  acknowledged,
  onAcknowledge,
  renderAction,
}: {
  readonly gates: readonly ShownGate[]
  readonly acknowledged: readonly string[]
  readonly onAcknowledge: (id: string, ticked: boolean) => void
  /** Returns nothing for a gate without an action. */
  readonly renderAction: (gate: ShownGate) => ReactNode
}) {
  return (
    <ul aria-label="Requirements of the release" className="flex flex-col gap-1">
      {gates.map((gate) => (
        <li key={gate.id} data-gate={gate.id} className="flex min-h-7 items-start gap-2">
          <GateIcon gate={gate} />
          <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">
            <span className={gate.passed ? 'py-1 text-text-2' : 'py-1 font-medium'}>
              <span className="sr-only">{describeGate(gate)}: </span>
              {gate.label}
            </span>
            {renderAction(gate)}
            {gate.question !== null && (
              <div className="w-full">
                <Checkbox
                  checked={acknowledged.includes(gate.id)}
                  onChange={({ currentTarget }) => onAcknowledge(gate.id, currentTarget.checked)}
                >
                  {gate.question}
                </Checkbox>
              </div>
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}

function describeGate({ passed, isOpen }: ShownGate): string {
  if (!passed) return 'missing'
  return isOpen ? 'not required' : 'passed'
}

function GateIcon({ gate }: { readonly gate: ShownGate }) {
  const look = 'mt-[7px] shrink-0'
  if (!gate.passed) {
    return <OctagonPause size={14} className={`${look} text-blocked-mark`} aria-hidden />
  }
  return gate.isOpen ? (
    <CircleDashed size={14} className={`${look} text-neutral-mark`} aria-hidden />
  ) : (
    <CircleCheck size={14} className={`${look} text-allow-mark`} aria-hidden />
  )
}
