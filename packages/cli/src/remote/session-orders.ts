// Orders about a running session; its runtime takes them when it reports (specs/session-control.md).
import { GivenSessionOrder, ORDER_ACTIONS } from '@signalbox/wire'
import type { Command } from 'commander'
import type { CommandContext } from '../base/command-context.ts'
import { EXIT } from '../base/io.ts'
import { connect } from './control-plane.ts'
import { connectTo } from './table.ts'

const EFFECT = {
  pause: 'Deny every call of a session until it is resumed',
  resume: 'Let the rules decide the calls of a paused session again',
  end: 'Deny every call of a session for good, and let its next stop through',
} as const satisfies { readonly [Action in (typeof ORDER_ACTIONS)[number]]: string }

interface Given {
  readonly url?: string
  readonly reason: string
  readonly json: boolean
}

export function addSessionOrders(group: Command, { io, around, done }: CommandContext): void {
  for (const action of ORDER_ACTIONS) {
    connectTo(group.command(action).description(EFFECT[action]), 'publish')
      .argument('<id>', 'Id of the session')
      .requiredOption('--reason <text>', 'Reason that the agent reads, with the name of the key')
      .action(async (id: string, options: Given) => {
        const plane = connect(options, around.env)
        const given = await plane.need({
          method: 'POST',
          path: `/sessions/${encodeURIComponent(id)}/orders`,
          body: { action, reason: options.reason },
          schema: GivenSessionOrder,
        })
        io.out(options.json ? JSON.stringify(given) : describeGiven(action, given))
        done(EXIT.clean)
      })
  }
}

function describeGiven(action: string, { counter, expires_at, reachable }: GivenSessionOrder) {
  const until = new Date(expires_at).toISOString()
  return reachable
    ? `Order ${counter} (${action}) is given. It takes effect when the session records it.`
    : `Order ${counter} (${action}) is given. The runtime does not report now; it gets the order when it is back, until ${until}.`
}
