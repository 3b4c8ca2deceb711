// A recorded value as indented JSON, with marks where something was removed before recording.
import type { JsonValue } from '@signalbox/core'
import { jsonPieces } from './json-pieces.ts'

/** The container must keep line breaks. */
export function RecordedJson({ value }: { readonly value: JsonValue }) {
  return jsonPieces(value).map((piece) =>
    piece.kind === 'text' ? (
      piece.text
    ) : (
      <TakenOutMark key={piece.pointer}>{piece.words}</TakenOutMark>
    ),
  )
}

export function TakenOutMark({ children }: { readonly children: string }) {
  return (
    <mark className="rounded-badge border border-neutral-bd bg-neutral-bg px-1 text-neutral-fg">
      {children}
    </mark>
  )
}
