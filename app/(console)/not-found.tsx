// 404 of a page of the console, whose frame has the main part already.
import { NothingHere } from '@/components/search/nothing-here.tsx'

export default function NotFound() {
  return (
    <div className="grid min-h-full place-items-center p-4">
      <NothingHere />
    </div>
  )
}
