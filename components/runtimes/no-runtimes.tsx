// No runtime yet: what connects one.
import { CopyButton } from '../ui/copy.tsx'
import { EmptyState } from '../ui/states.tsx'

const COMMAND = [
  'export SIGNALBOX_URL=http://127.0.0.1:3000 SIGNALBOX_API_KEY=<key>',
  'npx signalbox daemon --prompt <ns/key>',
].join('\n')

export function NoRuntimes({ environment }: { readonly environment: string | undefined }) {
  const where = environment === undefined ? '' : ` in ${environment}`
  return (
    <EmptyState title={`No runtime has connected${where} in 7 days.`}>
      <p>
        A runtime appears here by itself when an agent calls <code>createGuardrails</code>, or a
        coding agent runs under the daemon. Keys are made in Settings.
      </p>
      <div className="mt-2 flex max-w-full items-start gap-1">
        <pre className="min-w-0 overflow-x-auto rounded-control border border-border bg-surface-2 px-3 py-2 text-mono">
          {COMMAND}
        </pre>
        <CopyButton text={COMMAND} label="Copy the connect command" />
      </div>
    </EmptyState>
  )
}
