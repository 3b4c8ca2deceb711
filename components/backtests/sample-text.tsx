import { plural } from '@signalbox/core/analysis'
import { Timestamp } from '@/components/ui/time.tsx'
import type { Sample } from '@/server/backtests/backtests.sql.ts'

export function SampleText({ sample }: { readonly sample: Sample }) {
  const { environment } = sample
  return (
    <>
      <SampleKind sample={sample} />
      {environment === undefined ? '' : ` in ${environment}`}
    </>
  )
}

function SampleKind({ sample }: { readonly sample: Sample }) {
  switch (sample.kind) {
    case 'last':
      return `last ${plural(sample.sessions, 'session')}`
    case 'range':
      return (
        <>
          sessions from <Timestamp at={sample.from} style="second" /> to{' '}
          <Timestamp at={sample.to} style="second" />
        </>
      )
    case 'cases':
      return 'pinned cases only'
    case 'view':
      return `sessions of the view “${sample.name}”`
    default:
      return sample satisfies never
  }
}
