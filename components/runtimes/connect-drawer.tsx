'use client'
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ConnectAgentName } from './connect-agents.ts'
import { ConnectPanel } from './connect-panel.tsx'

export function ConnectDrawer({
  agent,
  onAgent,
  onClose,
}: {
  readonly agent: ConnectAgentName
  readonly onAgent: (agent: ConnectAgentName) => void
  readonly onClose: () => void
}) {
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-text/25" />
        <Base.Popup className="fixed inset-y-0 right-0 z-40 flex w-full flex-col overflow-y-auto border-border border-l bg-surface shadow-xl lg:w-[592px]">
          <header className="flex items-start justify-between gap-3 px-4 py-3">
            <div>
              <Base.Title className="font-semibold text-h1">Connect an agent</Base.Title>
              <Base.Description className="text-text-2">
                Choose how your agent runs. The key stays here until you leave the page.
              </Base.Description>
            </div>
            <Base.Close
              aria-label="Close"
              className="inline-flex size-7 items-center justify-center rounded-control text-text-3 hover:bg-surface-3"
            >
              <X size={16} aria-hidden />
            </Base.Close>
          </header>
          <ConnectPanel agent={agent} onAgent={onAgent} className="flex-1" />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
