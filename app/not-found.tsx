import { NothingHere } from '@/components/search/nothing-here.tsx'

export default function NotFound() {
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <NothingHere />
    </main>
  )
}
