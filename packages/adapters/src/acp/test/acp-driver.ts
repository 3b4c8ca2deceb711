import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { PolicyDocument, SessionEvent } from '@signalbox/core'
import { createGuardrails } from '@signalbox/runtime'
import { capabilitiesRecord, HarnessSession } from '@signalbox/runtime/harness'
import type { CompatHarness, CompatRun } from '@signalbox/testkit'
import { orderGiver } from '../../test/give-orders.ts'
import { textFilesIn } from '../../test/workspace-files.ts'
import type { AcpProxyOptions } from '../acp-proxy.ts'
import { ACP_CAPABILITIES, acpProfile } from '../capabilities.ts'
import { crashing, startAcpLab } from './lab.ts'

const BROKEN: readonly PolicyDocument[] = [{ id: 'broken', type: 'never_answers' }]

export const acpDriver: CompatHarness = {
  name: 'acp (experimental)',
  tested: '@agentclientprotocol/sdk 2.4.0',
  capabilities: capabilitiesRecord(ACP_CAPABILITIES),
  tools: { write: 'write_file', read: 'read_file', check: 'shell', plan: 'update_plan' },
  reportsUsage: false,
  async run(run) {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'signalbox-acp-'))
    for (const [file, content] of Object.entries(run.files ?? {})) {
      await fs.writeFile(path.join(folder, file), content)
    }
    const events: SessionEvent[] = []
    const { script } = run
    const lab = await startAcpLab({ script, cwd: folder, open: createOpener(run, events) })
    await lab.prompt('Begin.')
    await lab.close()
    const { requests, said } = lab.agent
    const files = textFilesIn(folder)
    await fs.rm(folder, { recursive: true })
    return { requests, files, events, output: said() }
  },
}

export function createOpener(
  { config, guard, deadlineInMs, orders }: CompatRun,
  events: SessionEvent[],
): AcpProxyOptions['open'] {
  const giver = orderGiver(orders)
  const guardrails = createGuardrails({
    config:
      guard === 'hangs' ? { ...config, policies: [...(config.policies ?? []), ...BROKEN] } : config,
    custom: { policies: { never_answers: { answer: () => new Promise(() => undefined) } } },
    // Only runs whose guard hangs have a limit this short: on a busy machine, a file look-up takes longer.
    ...(guard === 'hangs' ? { answerTimeoutMs: 50 } : {}),
    onEvent: (line) => {
      events.push(JSON.parse(line))
      giver.onEvent(line)
    },
  })
  return ({ cwd, agentVersion }) => {
    const session = HarnessSession.open(giver.follow(guardrails), acpProfile(agentVersion), {
      workspaceRoot: cwd,
      ...(deadlineInMs === undefined ? {} : { deadlineAt: Date.now() + deadlineInMs }),
    })
    return guard === 'crashes' ? crashing(session) : session
  }
}
