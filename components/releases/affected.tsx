import { countText, plural } from '@signalbox/core/analysis'
import type { ReleaseReview } from '@/server/releases/release-review.ts'

function describeReached(reached: number, hosts: number, environment: string): string {
  if (reached < hosts) {
    const some = `${countText(reached)} of ${plural(hosts, 'connected runtime')} in ${environment}`
    return `${some} ${reached === 1 ? 'gets' : 'get'}`
  }
  return hosts === 1
    ? `The connected runtime in ${environment} gets`
    : `All ${plural(hosts, 'connected runtime')} in ${environment} get`
}

export function Affected({
  review,
  environment,
  running = 0,
  live = null,
}: {
  readonly review: ReleaseReview
  readonly environment: string
  /** Number of the config's running sessions in the environment. */
  readonly running?: number
  /** Version number that they keep. */
  readonly live?: number | null
}) {
  const { hosts, unsupported } = review
  const reached = hosts - unsupported.length
  // A gate reports this case already.
  const who = hosts === 0 ? '' : `${describeReached(reached, hosts, environment)} this version. `
  const version = live === null ? 'the version that they began with' : `v${live}`
  const sessions = `${plural(running, 'running session')} ${running === 1 ? 'keeps' : 'keep'}`
  if (hosts === 0 && running === 0) return null
  return (
    <p className="text-text-2">
      {who}
      {running > 0 && `${sessions} ${version} until ${running === 1 ? 'it ends' : 'they end'}.`}
    </p>
  )
}
