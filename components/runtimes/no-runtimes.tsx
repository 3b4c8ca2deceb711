// No runtime yet: what connects one.
import { EmptyState } from '../ui/states.tsx'
import { ConnectCommand } from './connect-command.tsx'

export function NoRuntimes({ environment }: { readonly environment: string | undefined }) {
  const where = environment === undefined ? '' : ` in ${environment}`
  return (
    <EmptyState title={`No runtime has connected${where} in 7 days.`}>
      <p className="mb-2">
        A runtime appears here by itself when an agent calls <code>createGuardrails</code>, or a
        coding agent runs under the daemon.
      </p>
      <ConnectCommand isWaiting />
    </EmptyState>
  )
}
