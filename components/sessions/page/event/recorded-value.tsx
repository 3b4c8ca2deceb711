import { isJsonObject, type JsonValue } from '@signalbox/core'
import { plural } from '@signalbox/core/analysis'
import { EyeOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { escapeInvisible, readOmission } from '@/components/explanations/json-pieces.ts'
import { RecordedJson, TakenOutMark } from '@/components/explanations/recorded-json.tsx'
import { bytesText } from '@/components/ui/bytes-text.ts'
import { ScrollBox } from '@/components/ui/scroll-box.tsx'

export function formatRecorded(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

export function RecordedValue({
  label,
  value,
}: {
  readonly label: string
  readonly value: JsonValue
}) {
  const mark = readOmission(value)
  if (mark !== null) {
    return (
      <span className="inline-flex items-center gap-1">
        <EyeOff aria-hidden size={14} className="shrink-0 text-neutral-mark" />
        <TakenOutMark>{mark.words}</TakenOutMark>
      </span>
    )
  }
  if (typeof value === 'string') return <FoldedText label={label} text={value} />
  const isPlain = !Array.isArray(value) && !isJsonObject(value)
  if (isPlain) return <code className="font-mono text-mono">{String(value)}</code>
  const whole = JSON.stringify(value, null, 2)
  return (
    <Folded label={label} text={whole}>
      <RecordedJson value={value} />
    </Folded>
  )
}

export function FoldedText({ label, text }: { readonly label: string; readonly text: string }) {
  if (text === '') return <span className="text-text-2">empty text</span>
  return (
    <Folded label={label} text={text}>
      {escapeInvisible(text)}
    </Folded>
  )
}

const MOST_OPEN_CHARACTERS = 320
const MOST_OPEN_LINES = 8
const BEGINNING = 80

function Folded({
  label,
  text,
  children,
}: {
  readonly label: string
  readonly text: string
  readonly children: ReactNode
}) {
  const lines = text.split('\n').length
  const box =
    'whitespace-pre-wrap break-words rounded-control bg-surface-2 px-2 py-1 font-mono text-mono'
  if (text.length <= MOST_OPEN_CHARACTERS && lines <= MOST_OPEN_LINES) {
    return <div className={box}>{children}</div>
  }
  const size = bytesText(new TextEncoder().encode(text).length)
  return (
    <details>
      <summary className="min-h-6 cursor-pointer break-words">
        <span className="font-mono text-mono">
          {escapeInvisible(text.slice(0, BEGINNING).replaceAll(/\s+/g, ' '))}…
        </span>{' '}
        <span className="text-small text-text-2">
          {size}
          {lines > 1 ? `, ${plural(lines, 'line')}` : ''}
        </span>
      </summary>
      <ScrollBox label={label} className={`mt-1 max-h-80 overflow-auto ${box}`}>
        {children}
      </ScrollBox>
    </details>
  )
}
