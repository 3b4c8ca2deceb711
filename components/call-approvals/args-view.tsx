import type { JsonValue } from '@signalbox/core'
import { RecordedJson } from '@/components/explanations/recorded-json.tsx'
import { CopyButton } from '@/components/ui/copy.tsx'

export function ArgsView({ args }: { readonly args: JsonValue | null }) {
  if (args === null) {
    return (
      <p className="text-text-2">
        The event with the arguments has not arrived, or was removed. The call cannot be decided
        without it.
      </p>
    )
  }
  return (
    <div className="relative">
      <pre
        // Makes long arguments scrollable by keyboard in their own box.
        tabIndex={0}
        className="max-h-60 overflow-auto whitespace-pre-wrap break-words rounded-control border border-border bg-surface-2 p-2 pr-10 font-mono text-mono"
      >
        <RecordedJson value={args} />
      </pre>
      <span className="absolute top-1 right-1">
        <CopyButton text={JSON.stringify(args, null, 2)} label="Copy arguments" />
      </span>
    </div>
  )
}
